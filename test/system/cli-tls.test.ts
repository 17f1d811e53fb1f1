/** Commands against a server with a certificate of its own: --cacert and --insecure, over HTTPS and MQTT. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD } from '../_support/broker.ts'
import { hasOpenssl, makeCertificate } from '../_support/certificates.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { runCommand, startServer } from '../_support/server.ts'

describe.skipIf(!hasOpenssl)('a server with a certificate that no authority of the system signed', () => {
  test('refused, with the cure; --cacert, --insecure and a context with either → trusted', async () => {
    const directory = temporaryDirectory()
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    makeCertificate(cert, key, 'waybill')
    const server = await startServer({
      dataDir: temporaryDirectory(),
      env: { ADMIN_PASSWORD, TLS_CERT: cert, TLS_KEY: key },
      args: ['--host', '127.0.0.1:0', '--mqtt', '127.0.0.1:0'],
    })
    const { mqtt } = (await server.logged((line) => typeof line.mqtt === 'string')) as { mqtt?: string }
    const login = ['--url', server.url, '--user', 'admin', '--password', ADMIN_PASSWORD]
    const env = { XDG_CONFIG_HOME: temporaryDirectory() }
    const waybill = (...args: string[]) => runCommand({ args, env })
    const send = (...flags: string[]) => waybill('send', 'pump', 'go', ...login, ...flags)
    const cure = 'Its certificate is not trusted: name the certificate of its authority with --cacert FILE.'

    expect(await send()).toEqual({
      code: 3,
      signal: null,
      stdout: '',
      stderr: `waybill: ${server.url} cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT. ${cure}\n`,
    })
    expect(await send('--cacert', key)).toMatchObject({
      code: 2,
      stderr: `waybill: --cacert: ${key} has no certificate in PEM format\n`,
    })
    expect(await send('--cacert', cert)).toMatchObject({ code: 0, stderr: '' })
    expect(await send('--insecure', '--data', '{"n":1}')).toMatchObject({ code: 0, stderr: '' })
    expect(await send('--cacert', cert, '--password', 'wrong')).toMatchObject({ code: 4 })

    await waybill('context', 'add', 'site', ...login, '--cacert', cert, '--select')
    const listed = await waybill('messages', 'pump')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout.trim().split('\n')).toHaveLength(3)
    expect(await waybill('simulate', 'pump', '--count', '1')).toMatchObject({ code: 0 })
    const simulate = (...flags: string[]) =>
      waybill('simulate', 'pump', '--count', '1', '--mqtt', mqtt as string, ...flags)
    expect(await simulate()).toMatchObject({ code: 0, stdout: expect.stringMatching(/COMPLETED\n$/) })
    expect(await simulate(...login)).toMatchObject({ code: 3, stderr: expect.stringContaining(cure) })
  })
})
