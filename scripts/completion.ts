/** Completion for the shell, made from the commands themselves. */
import type { Command } from 'commander';

/** A script for bash, and for zsh by its bash layer: completes commands, then the options of the command at hand. */
export function completionScript(program: Command): string {
  const name = program.name();
  const optionsOf = (command: Command) => command.options.map(({ long }) => long).join(' ');
  const cases = program.commands.map((command) => `    ${command.name()}) words="${optionsOf(command)} --help" ;;`);
  return `# ${name}: completion for bash and zsh
[ -n "$ZSH_VERSION" ] && autoload -U +X bashcompinit && bashcompinit
_${name}() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="${program.commands.map((command) => command.name()).join(' ')} ${optionsOf(program)} --help" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}`;
}
