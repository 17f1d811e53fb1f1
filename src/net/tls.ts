/** Reads the certificate of tls.cert and tls.key, and reloads it at SIGHUP and when one of the files changes. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Log } from '../process/log.ts'
import { PermanentStartError } from '../process/start-error.ts'
import type { Tls } from '../web/http.ts'

/**
 * Interval at which the files are checked. File events would miss the replacement of a directory behind a symbolic
 * link.
 */
const CHECK_INTERVAL_MS = 1_000

type Certificate = Tls['certificate']
type TlsServer = Parameters<Tls['subscribe']>[0]

/**
 * Reads the configured certificate. Returns null without one.
 *
 * @throws {PermanentStartError} for unusable files
 */
export function openTls(
  { tlsCert, tlsKey }: { readonly tlsCert: string | null; readonly tlsKey: string | null },
  log: Log,
): TlsFiles | null {
  return tlsCert !== null && tlsKey !== null ? new TlsFiles(tlsCert, tlsKey, log) : null
}

class TlsFiles implements Tls {
  certificate: Certificate
  readonly #paths: readonly [cert: string, key: string]
  readonly #log: Log
  readonly #servers = new Set<TlsServer>()
  readonly #onChange = (): void => this.#reload()

  constructor(cert: string, key: string, log: Log) {
    this.#paths = [cert, key]
    this.#log = log
    try {
      this.certificate = readCertificate(this.#paths)
    } catch (error) {
      throw new PermanentStartError(
        `TLS: ${cert} and ${key} cannot be used (${(error as Error).message}): name a certificate and its key in PEM form with tls.cert and tls.key`,
        error,
      )
    }
    for (const path of this.#paths)
      watchFile(path, { interval: CHECK_INTERVAL_MS, persistent: false }, this.#onChange)
    process.on('SIGHUP', this.#onChange)
  }

  subscribe(server: TlsServer): () => void {
    this.#servers.add(server)
    return () => this.#servers.delete(server)
  }

  close(): void {
    for (const path of this.#paths) unwatchFile(path, this.#onChange)
    process.off('SIGHUP', this.#onChange)
  }

  /**
   * Reloads the certificate. While only one of the two files is replaced they do not match, and the old certificate
   * stays in use.
   */
  #reload(): void {
    const [cert] = this.#paths
    try {
      const certificate = readCertificate(this.#paths)
      if (isSame(certificate, this.certificate)) return
      this.certificate = certificate
      for (const server of this.#servers) server.setSecureContext(this.certificate)
      this.#log.info({ cert }, 'TLS: the new certificate is in use')
    } catch (error) {
      this.#log.warn(
        { cert },
        `TLS: the new certificate cannot be used (${(error as Error).message}); the old one stays in use. Install a certificate and its key that match`,
      )
    }
  }
}

function isSame(one: Certificate, other: Certificate): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key)
}

/**
 * Reads a certificate and its key.
 *
 * @throws {Error} when a file cannot be read, or certificate and key do not match
 */
function readCertificate([certPath, keyPath]: readonly [string, string]): Certificate {
  const certificate = { cert: readFileSync(certPath), key: readFileSync(keyPath) }
  createSecureContext(certificate)
  return certificate
}
