# $(call say,KIND,path) before a command prints one short line; with V=1 the command itself.
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)';)
