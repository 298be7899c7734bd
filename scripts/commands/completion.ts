/** `hubledger completion`: prints a completion script for the shell. */
import type { Command } from 'commander';

/**
 * Returns a completion script for bash and zsh. The script completes commands, and then the subcommands and options of
 * the command.
 */
function completionScript(program: Command): string {
  const name = program.name();
  const wordsOf = ({ commands, options }: Command) =>
    [...commands.map((command) => command.name()), ...options.map(({ long }) => long), '--help'].join(' ');
  const caseOf = (path: string, command: Command) => `    ${path}) words="${wordsOf(command)}" ;;`;
  const cases = program.commands.flatMap((command) => [
    ...command.commands.map((sub) => caseOf(`"${command.name()} ${sub.name()}"`, sub)),
    caseOf(`"${command.name()} "*`, command),
  ]);
  return `# ${name}: completion for bash and zsh
[ -n "$ZSH_VERSION" ] && autoload -U +X bashcompinit && bashcompinit
_${name}() {
  local words before=""
  [ "$COMP_CWORD" -gt 1 ] && before="\${COMP_WORDS[1]} "
  [ "$COMP_CWORD" -gt 2 ] && before="$before\${COMP_WORDS[2]}"
  case "$before" in
${cases.join('\n')}
    *) words="${wordsOf(program)}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}`;
}

export const examples = ['>> ~/.bashrc'];

export function declare(command: Command): void {
  command.action(() => console.log(completionScript(command.parent!)));
}
