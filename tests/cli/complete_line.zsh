# SPDX-License-Identifier: GPL-3.0-or-later
# zsh -f complete_line.zsh COMPLETIONS PROGRAMS LINE...: what each line becomes when Tab is pressed behind
# it, one a line. COMPLETIONS goes in front of fpath, PROGRAMS in front of PATH. A shell of its own runs on a
# pseudo terminal, since zle works on nothing else.
zmodload zsh/zpty || exit 1
completions=$1 programs=$2
shift 2

zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "unsetopt zle_bracketed_paste prompt_cr prompt_sp; PS1= PS2= RPS1="
zpty -w shell "fpath=(${(q)completions} \$fpath); path=(${(q)programs} \$path)"
zpty -w shell "autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
zpty -w shell "show() { print -r -- '<''<'\$BUFFER'>''>'; BUFFER= }; zle -N show; bindkey '^T' show"
zpty -w shell "print 'rea''dy'"
zpty -r shell output '*ready*' || exit 1

for line in "$@"; do
    zpty -w -n shell "$line"$'\t\x14'
    zpty -r shell output '*<<*>>*' || exit 1
    print -r -- "${${output##*<<}%%>>*}"
done
zpty -d shell
