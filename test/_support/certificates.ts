/** Creates self-signed certificates with openssl, where it is installed. */
import { execFileSync } from 'node:child_process'

export const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('openssl is not installed: the tests of TLS are left out')
    return false
  }
})()

/** Writes a certificate for 127.0.0.1 and its key as PEM, replacing the files. @param name its common name */
export function makeCertificate(certPath: string, keyPath: string, name: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyPath]
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certPath, '-days', '1', ...subject], {
    stdio: 'pipe',
  })
}
