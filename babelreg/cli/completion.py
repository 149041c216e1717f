"""``babelreg completion``: what a shell needs to complete commands, options, rules and URNs.

A script asks ``babelreg completion SHELL -- …`` at each press of TAB: bash hands over the line up to the cursor and its
word breaks, the others their words. The answer is a line for each candidate, ``plain``, the text and a hint between
tabs, or ``file`` or ``dir`` where the shell completes by itself. Whatever goes wrong, the answer is silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import click

from babelreg.cli.shared.common_options import examples

_BASH = r"""_babelreg() {
    local kind value
    COMPREPLY=()
    while IFS=$'\t' read -r kind value _; do
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            dir) compopt -o plusdirs 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
        esac
    done < <("$1" completion bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -o nosort -F _babelreg babelreg 2>/dev/null || complete -F _babelreg babelreg
"""
_ZSH = r"""#compdef babelreg
_babelreg() {
    local kind value hint files
    local -a values hints
    while IFS=$'\t' read -r kind value hint; do
        case $kind in
            plain) values+=("$value"); hints+=("$value${hint:+ -- $hint}") ;;
            dir) files=-/ ;;
            file) files=-f ;;
        esac
    done < <("${words[1]}" completion zsh -- "${(@Q)words[1,CURRENT]}" 2>/dev/null)
    if (( $#values )); then
        compadd -l -V babelreg -d hints -a values
    elif [[ -n $files ]]; then
        _path_files $files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _babelreg "$@"
else
    compdef _babelreg babelreg
fi
"""
_FISH = r"""function __babelreg_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for row in ($words[1] completion fish -- $words "$word" 2>/dev/null)
        set -l parts (string split \t -- $row)
        switch $parts[1]
            case plain
                echo $parts[2]\t$parts[3]
            case dir
                __fish_complete_directories "$word"
            case file
                __fish_complete_path "$word"
        end
    end
end
complete --no-files --command babelreg --arguments '(__babelreg_complete)'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_VALUED = re.compile(r"--[a-z-]+=")


@click.command(
    short_help="Print the completion script for a shell.",
    context_settings={"ignore_unknown_options": True},
    epilog=examples("babelreg completion bash", "babelreg completion zsh"),
)
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
@click.argument("words", nargs=-1, metavar="", type=click.UNPROCESSED)
def command(shell: str, words: tuple[str, ...]) -> int:
    """Print the script that completes commands, options, rules and the URNs of the current registry.

    \b
    bash  echo 'eval "$(babelreg completion bash)"' >> ~/.bashrc
    zsh   echo 'eval "$(babelreg completion zsh)"' >> ~/.zshrc     (after compinit)
    fish  babelreg completion fish > ~/.config/fish/completions/babelreg.fish
    """
    if not words:
        click.echo(SCRIPTS[shell], nl=False)
        return 0
    try:
        rows = list(_of_line(*words) if shell == "bash" else _of_words(words))
    except Exception:  # a traceback in the middle of somebody's line helps nobody
        rows = []
    for row in rows:
        click.echo("\t".join(row))
    return 0


def _of_line(line: str, breaks: str = "") -> Iterator[tuple[str, ...]]:
    """Yield the candidates for a line of bash, of which bash replaces only what follows the last break in a word."""
    from click.shell_completion import split_arg_string

    words = split_arg_string(line)
    typed = "" if line[-1:].isspace() else re.split(r"\s", line)[-1]
    if not typed:
        words.append("")
    quoted = '"' in typed or "'" in typed
    cut = 0 if quoted else 1 + max((typed.rfind(mark) for mark in ":=" if mark in breaks), default=-1)
    for kind, *rest in _of_words(words):
        yield (kind, rest[0][cut:], *rest[1:]) if rest else (kind,)


def _of_words(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the candidates for the last of ``words``; the first is the program."""
    from click.shell_completion import ShellComplete

    from babelreg.report import printable

    *earlier, word = words[1:]
    program = click.get_current_context().find_root().command
    option = _VALUED.match(word)
    prefix = option[0] if option else ""
    for item in ShellComplete(program, {}, "babelreg", "").get_completions(earlier, word):
        if item.type == "plain":
            yield "plain", printable(f"{prefix}{item.value}"), printable(item.help or "")
        else:
            yield (item.type,)
