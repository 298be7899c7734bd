/** `hubledger completion`: a script for the shell, made from the commands themselves. */
import type { Command } from 'commander';

/** Returns a completion script for bash and zsh: commands first, then the current command's options and subcommands. */
function completionScript(program: Command): string {
  const name = program.name();
  const namesOf = (commands: readonly Command[]) => commands.map((command) => command.name());
  const wordsOf = ({ commands, options }: Command) =>
    [...namesOf(commands), ...options.map(({ long }) => long), '--help'].join(' ');
  const cases = program.commands.map((command) => `    ${command.name()}) words="${wordsOf(command)}" ;;`);
  return `# ${name}: completion for bash and zsh
[ -n "$ZSH_VERSION" ] && autoload -U +X bashcompinit && bashcompinit
_${name}() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="${wordsOf(program)}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}`;
}

export function declare(command: Command): void {
  command.action(() => console.log(completionScript(command.parent!)));
}
