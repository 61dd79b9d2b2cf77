#!/bin/sh
# Bundles the page into ../site, which is checked in: a clone needs no npm. Run it after a change in src.
set -eu
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --ignore-scripts
npx tsc --noEmit -p .
npx esbuild src/main.ts --bundle --minify --format=esm --target=es2022 --charset=utf8 --outfile=../site/app.js
npx esbuild src/style.css --minify --charset=utf8 --outfile=../site/app.css
cp src/index.html src/worker.js src/offline.js src/icon.svg ../site/
# The licences of what the bundle has in it.
for p in $(npm ls --omit=dev --all --parseable | sed 1d | sort -u); do
	name=${p#*node_modules/}
	printf '%s\n\n' "$name $(node -p "require('$p/package.json').version")"
	cat "$p"/LICENSE* "$p"/license* 2>/dev/null || true
	printf '\n\n'
done > ../site/licences.txt
