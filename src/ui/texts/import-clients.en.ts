/** Holds the texts of the import of logins in English. They load with their code. */
import type { Texts } from './translation.ts'

export const texts = {
  import: {
    title: 'Import logins',
    lead: 'Each line creates a login, or updates the login with that id. An empty cell changes nothing. New logins without a password get a random one.',
    file: 'CSV file',
    encoding: 'The file was read as {encoding}. Check the ids.',
    planned: 'What the import would do',
    running: 'Importing: {done} of {lines} lines',
    done: 'The import is done',
    stopped: 'The import was stopped: the server shut down. Import the file again.',
    created: { one: '{count} login created', other: '{count} logins created' },
    changed: { other: '{count} changed' },
    unchanged: { other: '{count} unchanged' },
    refused: { one: '{count} line refused', other: '{count} lines refused' },
    start: 'Import {count}',
    nothing: 'This file has no lines to import. Choose another file.',
    line: 'Line',
    sample: 'Sample file',
    passwords: 'Download passwords (once)',
    passwordsHint:
      'The passwords of the new logins are shown nowhere else. Download them before you close this dialog.',
    demotes: 'The file takes the role Administrator from a login.',
    result: 'Change or error',
    lines: 'Lines of the file',
    willCreate: 'New: {role}',
    willChange: 'Changed',
    newRole: '{before} → {role}',
  },
} as const satisfies Texts
