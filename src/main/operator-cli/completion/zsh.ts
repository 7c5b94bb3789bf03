import type { CommandPlace } from './places.ts';

/** A script that zsh reads; `name` is the command that it completes. */
export function zshCompletion(name: string, places: readonly CommandPlace[]): string {
  const commands = places.filter(({ words }) => words.length > 0).map(({ words }) => quoted(words.join(' ')));
  const values = places.flatMap(({ words, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name: flag, choices }) => {
        const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`;
        return `    (${quoted([...words, flag].join(' '))}) ${offer}; return ;;`;
      }),
  );
  const others = places.map(({ words, commands: below, options, choices }) => {
    const told = [...below, ...choices.map((choice) => ({ name: choice, description: '' }))];
    return `    (${quoted(words.join(' '))}) named=(${told.map(described).join(' ')}) flags=(${options.map(described).join(' ')}) ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh), after compinit
_media_buy_agent() {
  local place='' i
  local -a named flags
  for ((i = 2; i < CURRENT; i++)); do
    case "\${place:+$place }\${words[i]}" in
    (${commands.join('|')}) place="\${place:+$place }\${words[i]}" ;;
    esac
  done
  case "\${place:+$place }\${words[CURRENT - 1]}" in
${values.join('\n')}
  esac
  case $place in
${others.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe option flags
  elif ((\${#named})); then
    _describe command named
  else
    _files
  fi
}
compdef _media_buy_agent ${name}
`;
}

/** One of what `_describe` takes: a word, a colon, what it is. */
function described({ name, description }: { name: string; description: string }): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
