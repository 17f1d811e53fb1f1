/** A Redis that syncs before it answers, on a free port, beside the servers. */
import { execFileSync } from 'node:child_process'
import { freePort, type Server, startServer } from './server.ts'

/** @returns null, with a word of why, where Redis is not installed */
export async function startRedis(dataDir: string): Promise<Server | null> {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
  } catch {
    console.log('\nRedis is left out: redis-server is not installed (apt-get install redis-server).')
    return null
  }
  const port = await freePort()
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dataDir, '--save', '']
  const redis = ['redis-server', ...flags, '--appendonly', 'yes', '--appendfsync', 'always']
  return startServer('redis', { argv: redis, url: `redis://127.0.0.1:${port}`, listens: 'Ready to accept' })
}
