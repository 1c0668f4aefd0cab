# SPDX-License-Identifier: MIT
#
# Contains the tasks for scripts, types, the package, the pages and the manual. Read by build.sh.

# js         build web/dist/*.js and *.css: the published library, and the scripts and styles of the pages
task_js() {
  npm_packages
  node web/tools/bundle.js
}

# types      check the JavaScript with tsc and write web/types/*.d.ts
task_types() { npm_packages; node web/tools/types.js; }

# package    build what `npm pack` needs and git does not have: declarations, and the library as one file
task_package() { task_types; node web/tools/single.js; }

# site       write build/site, the demo as a folder for any static host: ./build.sh site [folder] [--address https://host/path/]; or write pages as one file each: --single PAGE
task_site() { case " $* " in *' --single'*) npm_packages ;; esac; node web/tools/site.js "$@"; }

# release    write build/release: the package as npm would publish it, and the demo as a site; publishes nothing, but prints what is not ready and the commands that publish
task_release() { task_tools; task_check_wasm all; task_js; node web/tools/release.js "$OUT/release"; }

# manual_tools: installs the packages of web/manual/make/package.json in $OUT/manual
manual_tools() {
  if ! cmp -s web/manual/make/package-lock.json "$OUT/manual/package-lock.json" || [ ! -e "$OUT/manual/node_modules/.package-lock.json" ]; then
    rm -rf "$OUT/manual"
    mkdir -p "$OUT/manual"
    cp web/manual/make/package.json web/manual/make/package-lock.json .npmrc "$OUT/manual/"
    (cd "$OUT/manual" && npm ci --no-audit --no-fund --loglevel=error >&2) || { rm -rf "$OUT/manual/node_modules"; return 1; }
  fi
}

# manual     build web/manual/*.html from its chapters and from the comments in web/lib; npm installs TypeDoc into build/ once
task_manual() {
  manual_tools
  node web/manual/make/manual.js "$OUT/manual" "$@"
}

# check-manual  check that the pages of the manual match the chapters and comments
task_check_manual() {
  manual_tools || { say 'NOT RUN: the check of the manual needs TypeDoc (npm registry, once)'; return 0; }
  task_manual --check
}
