autocmd BufNewFile,BufRead *.flx setfiletype fluxion
