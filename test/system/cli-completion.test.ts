/** The completion script in a real bash, and in a real fish where it is installed. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { BUILT } from '../_support/server.ts'

const isInstalled = (shell: string): boolean => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('bash', () => {
  /** Runs the function that bash calls when Tab is pressed, and returns its answer. */
  function complete(...words: readonly string[]): string {
    const script = `
      waybill() { ${process.execPath} ${BUILT.join(' ')} "$@"; }
      source <(waybill completion bash)
      [[ $(complete -p waybill) == 'complete -F _waybill waybill' ]] || exit 1
      COMP_WORDS=(waybill "$@"); COMP_CWORD=$#
      _waybill; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8' }).trim()
  }

  test.each([
    [['simu'], 'simulate'],
    [['client', ''], 'add list remove password help'],
    [['send', 'x', 'y', '--data', '$(exit 3)', '--tim'], '--timeout'],
    [['send', '--guarantee', '=', 'ON'], 'ONLY_LAST'],
    [['db', 'restore', ''], ''],
    [['serve', '--adapter', ''], 'node uws'],
    [['--adapter', 'u'], 'uws'],
  ])('%j → %s', (words, answer) => {
    expect(complete(...words)).toBe(answer)
  })
})

test('fish: a beginning → the command with its description', ({ skip }) => {
  skip(!isInstalled('fish'), 'fish is not installed')
  const script = `
    function waybill; ${process.execPath} ${BUILT.join(' ')} $argv; end
    waybill completion fish | source
    complete -C 'waybill simu'`
  const answer = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
  expect(answer).toMatch(/^simulate\tsimulate a device/)
})
