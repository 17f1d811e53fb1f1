/**
 * Holds the shell scripts of `waybill completion`. A script passes the words before the cursor and the current word to
 * `waybill complete`, as arguments and without `eval`, and shows the lines of its output.
 *
 * The scripts of the package @bomb.sh/tab 0.0.22 were tried. The script for bash evaluates the words, so that a `$(…)`
 * or a `>` of the line runs when Tab is pressed, fails without the package bash-completion, and completes no file
 * names.
 */
import { FILES } from './completions.ts'

const bash = `# bash completion of waybill
_waybill() {
  local current=\${COMP_WORDS[COMP_CWORD]} lines value
  lines=$(waybill complete --current="$current" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null </dev/null)
  COMPREPLY=()
  if [[ $lines == ${FILES} ]]; then
    compopt -o default 2>/dev/null
    return 0
  fi
  while IFS=$'\\t' read -r value _; do
    [[ -z $value ]] || COMPREPLY+=("$value")
  done <<<"$lines"
}
complete -F _waybill waybill
`

const zsh = `#compdef waybill
_waybill() {
  local -a lines described
  local line tab=$'\\t'
  lines=("\${(@f)$(waybill complete --current="\${words[CURRENT]}" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null </dev/null)}")
  if [[ "$lines[1]" == ${FILES} ]]; then
    _files
    return
  fi
  for line in $lines; do
    described+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
  done
  _describe -t values waybill described
}
if [[ "$funcstack[1]" == _waybill ]]; then _waybill "$@"; else compdef _waybill waybill; fi
`

const fish = `# fish completion of waybill
function __waybill_complete
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct)
  set -l lines (waybill complete --current="$current" -- $before 2>/dev/null </dev/null)
  if test "$lines[1]" = '${FILES}'
    __fish_complete_path "$current"
  else if set -q lines[1]
    printf '%s\\n' $lines
  end
end
complete -c waybill -f -a '(__waybill_complete)'
`

const powershell = `# PowerShell completion of waybill. Without an answer PowerShell completes file names.
Register-ArgumentCompleter -Native -CommandName waybill -ScriptBlock {
  param($current, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($current -ne '') { $words = @($words | Select-Object -SkipLast 1) }
  waybill complete "--current=$current" -- @words 2>$null | Where-Object { $_ -ne '${FILES}' } | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}
`

export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash, zsh, fish, powershell }
