/**
 * Selects the server tests that can differ by adapter and also run over uws. A file is excluded only if it uses the
 * adapter by plain calls with JSON, or not at all. A file with an import that is not listed here runs over both.
 */

/** Modules without a connection to the HTTP port, and modules that make plain calls with JSON. */
const PLAIN_IMPORTS = new RegExp(
  `^(?:${[
    'vitest|aedes|better-sqlite3|csv-parse/sync|fast-check|jsonwebtoken|mqtt-packet',
    'node:(?:child_process|crypto|events|fs|module|path|timers/promises|url)',
    '\\.\\./\\.\\./src/(?:audit|auth|broker|cli|config|metrics|mqtt|process|store|transport|wire)/.+',
    `\\.\\./_support/(?:${[
      // The broker of a test, and its calls.
      'adapter|broker|credentials|in-process|rest|command|db-command',
      // State of the broker before its start and after its end.
      'clients|dated-store|failures|message|outage|parked|releases|settings|store|stored|stored-rows|shared-database',
      // MQTT over TCP.
      'mqtt|mqtt-server|raw-mqtt',
      // The test itself.
      'audit|cleanup|clock|code-point|eventually|log-lines|metrics|random|runs',
    ].join('|')})\\.ts`,
  ].join('|')})$`,
)

/** Requests that a test makes itself, and answers that stay open. The head of a file may also request both adapters. */
const OWN_REQUESTS = /\bfetch\(|\.raw\(|[?&]wait=|\bWebSocket\b|\bstream\b|Runs over each adapter/

/** @param text text of the test file */
export function mayDifferByAdapter(text: string): boolean {
  const imports = [...text.matchAll(/(?:\bfrom|\bimport) ?\(?'([^']+)'/g)].map(([, name]) => name as string)
  return OWN_REQUESTS.test(text) || imports.some((name) => !PLAIN_IMPORTS.test(name))
}
