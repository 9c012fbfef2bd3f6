#!/bin/sh
# Compares evaluate.c with oplus: docs/your-engine/compare.sh NET.oplus [FENS]
# for a net of ALL with layers "N screlu -> 1". Needs `oplus` on the path, and `cc`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
net=$1
fens=${2:-$here/positions.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

oplus net export "$net" --format raw,c --out "$work/net" > "$work/exported"
cc -std=c11 -O2 -Wall -Wextra -I "$work" "$here/evaluate.c" -o "$work/evaluate"
"$work/evaluate" "$work/net.bin" < "$fens" > "$work/by_c"
while read -r fen; do
    oplus net info "$net" --fen "$fen" | sed -n 's/^evaluation  *\(-*[0-9]*\) cp for the side to move.*/\1/p'
done < "$fens" > "$work/by_oplus"

paste "$work/by_c" "$work/by_oplus" "$fens"
cmp "$work/by_c" "$work/by_oplus"
test -s "$work/by_c"
echo "alike in $(wc -l < "$fens") positions"
