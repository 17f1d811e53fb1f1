/** Reads the certificate of tls.cert and tls.key, again when one of the files changes. Knows servers by one method only. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { StartError } from '../process/start-error.ts'
import type { Log } from '../web/app.ts'
import type { Tls } from '../web/http.ts'

/** Period after which the files are checked. Events would miss a link into a directory that is replaced. */
const PERIOD_MS = 1_000

type Certificate = Tls['certificate']
type Follower = Parameters<Tls['follow']>[0]

/** Opens the certificate that the settings name; returns null without one. @throws {StartError} */
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
  readonly #followers = new Set<Follower>()
  readonly #look = (): void => this.#reload()

  /** @throws {StartError} when the files cannot be used */
  constructor(cert: string, key: string, log: Log) {
    this.#paths = [cert, key]
    this.#log = log
    try {
      this.certificate = read(this.#paths)
    } catch (error) {
      throw new StartError(
        `TLS: ${cert} and ${key} cannot be used (${(error as Error).message}): name a certificate and its key in PEM form with tls.cert and tls.key`,
        error,
      )
    }
    for (const path of this.#paths) watchFile(path, { interval: PERIOD_MS, persistent: false }, this.#look)
  }

  follow(server: Follower): () => void {
    this.#followers.add(server)
    return () => this.#followers.delete(server)
  }

  close(): void {
    for (const path of this.#paths) unwatchFile(path, this.#look)
  }

  /** Between the two files being replaced they do not fit: the old certificate goes on until they do. */
  #reload(): void {
    const [cert] = this.#paths
    try {
      this.certificate = read(this.#paths)
      for (const server of this.#followers) server.setSecureContext(this.certificate)
      this.#log.info({ cert }, 'TLS: the new certificate is in use')
    } catch (error) {
      this.#log.warn(
        { cert },
        `TLS: the changed files do not fit, the old certificate goes on: ${(error as Error).message}`,
      )
    }
  }
}

/** @throws {Error} when one cannot be read, or they do not fit together */
function read([certPath, keyPath]: readonly [string, string]): Certificate {
  const certificate = { cert: readFileSync(certPath), key: readFileSync(keyPath) }
  createSecureContext(certificate)
  return certificate
}
