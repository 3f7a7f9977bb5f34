complete --keep-order --exclusive --command assessctl --arguments "(_ASSESSCTL_COMPLETE=fish assessctl -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
