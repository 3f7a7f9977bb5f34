# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_assessctl_global_optspecs
    string join \n profile= config= base-url= api-key-file= timeout= concurrency= q/quiet v/verbose color= V/version h/help
end

function __fish_assessctl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_assessctl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_assessctl_using_subcommand
    set -l cmd (__fish_assessctl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c assessctl -n "__fish_assessctl_needs_command" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_needs_command" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_needs_command" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_needs_command" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_needs_command" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_needs_command" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_needs_command" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_needs_command" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_needs_command" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_needs_command" -s V -l version -d 'Print version'
complete -c assessctl -n "__fish_assessctl_needs_command" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "projects" -d 'List, show and create projects'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "testtakers" -d 'List, enrol, update and remove test takers'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "results" -d 'List, export and compare results'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "links" -d 'Issue one-time test links'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "redirect-uris" -d 'List and add addresses where browsers may go after a test'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "journal" -d 'Enrolments from this machine: show, undo, forget'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "config" -d 'Set up profiles: address, API key, project'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "sandbox" -d 'Try everything without an account: a service on this machine'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "doctor" -d 'Check configuration, key, service, project and state folder'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c assessctl -n "__fish_assessctl_needs_command" -f -a "man" -d 'Print or write manual pages'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -f -a "list" -d 'List projects'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -f -a "get" -d 'Show a project'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -f -a "create" -d 'Create a project'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and not __fish_seen_subcommand_from list get create link" -f -a "link" -d 'Show the link by which people enrol themselves in a project'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l filter -d 'Only projects whose name contains this text' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l state -d 'Only Draft, Active, Inactive, ActiveExpired or Deleted projects' -r -f -a "Draft\t''
Active\t''
Inactive\t''
Deleted\t''
ActiveExpired\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l order-by -d 'Sort by Name, DateCreated, LastModified or State' -r -f -a "Name\t''
DateCreated\t''
LastModified\t''
State\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l order -d 'Sort direction' -r -f -a "Asc\t''
Desc\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l limit -d 'At most this many records, after all filters' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l page -d 'Only page N of the service\'s list' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l page-size -d 'Records per page with --page, 1 to 100 [default: 100]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l bypass-cache -d 'Skip the service\'s cache'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l fit-for-duty-response -d 'What to do about a high-risk result: text or URL' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l allow-duplicate -d 'Create it even if a project has this name'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand projects; and __fish_seen_subcommand_from link" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "list" -d 'List the test takers of a project'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "get" -d 'Show test takers'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "enrol" -d 'Enrol one person'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "import" -d 'Enrol people from a CSV or Excel file'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "check" -d 'Check a CSV or Excel file without sending anything'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "update" -d 'Change names and reference ids of test takers'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "remove" -d 'Remove people from a project'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and not __fish_seen_subcommand_from list get enrol import check update remove sync" -f -a "sync" -d 'Enrol, update and remove people so that a project follows a file'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l filter -d 'Part of reference id, name or e-mail' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l has-reference-id -d 'With a reference id (true) or without' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l has-last-test-sent -d 'A test was sent to them (true) or not' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l last-test-sent-from -d 'Last test sent at this time or later' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l last-test-sent-to -d 'Last test sent at this time or earlier' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l order -d 'Sort direction' -r -f -a "Asc\t''
Desc\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l reference-id -d 'Exactly this reference id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l order-by -d 'Sort by this field' -r -f -a "Priority\t''
Performance\t''
FullName\t''
LastTestSent\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l limit -d 'At most this many records, after all filters' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l page -d 'Only page N of the service\'s list' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l page-size -d 'Records per page with --page, 1 to 100 [default: 100]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l completed-only -d 'Only people who completed a test'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l file -d 'CSV, Excel or one person a line; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l skip-invalid -d 'Leave out rows with mistakes'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l email -d 'E-mail address' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l first-name -d 'First name' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l last-name -d 'Last name' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l birth-year -d 'Year of birth' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l reference-id -d 'Your own identifier of this person' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l on-existing -d 'If enrolled already: skip, update or fail' -r -f -a "skip\t'They are left as they are'
update\t'They are left to a run of updates after this one'
fail\t'Where this machine did not enrol one of them, nothing is sent'"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l settle -d 'Max. wait to verify enrolments [default: 5m]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l shared-mailboxes -d 'Allow others to have the same e-mail address'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l again -d 'Enrol even if removed in the portal'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l no-wait -d 'Do not wait to verify enrolments'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from enrol" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l on-existing -d 'If enrolled already: skip, update or fail' -r -f -a "skip\t'They are left as they are'
update\t'They are left to a run of updates after this one'
fail\t'Where this machine did not enrol one of them, nothing is sent'"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l failed-out -d 'CSV file for rows that failed (is replaced)' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l settle -d 'Max. wait to verify enrolments [default: 5m]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l again -d 'Enrol even if removed in the portal'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l skip-invalid -d 'Leave out rows with mistakes, enrol the rest'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l no-wait -d 'Do not wait to verify enrolments'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l by -d 'Match people by this field' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l first-name -d 'New first name; \'\' clears it' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l last-name -d 'New last name; \'\' clears it' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l reference-id -d 'New reference id; \'\' clears it' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l file -d 'CSV or Excel; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l skip-invalid -d 'Leave out rows with mistakes'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l clear-empty -d 'An empty cell deletes the stored value'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l file -d 'CSV, Excel or one person a line; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l by -d 'Match people by this field' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l max -d 'Fail if more than N people would be removed' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l skip-invalid -d 'Leave out rows with mistakes'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Do not ask'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l source -d 'Name of this series of files [default: main]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l only -d 'Use only rows with VALUE under HEADER' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l absent-for -d 'Remove if missing this long' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l max-leavers -d 'Max. removals [default: 5, or 5% if greater]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l approve -d 'Make the held changes (the error shows ID)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l failed-out -d 'CSV file for rows that failed (is replaced)' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l settle -d 'Max. wait to verify enrolments [default: 5m]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l no-wait -d 'Do not wait to verify enrolments'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -l skip-invalid -d 'Skip bad rows; no removals in such a run'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand testtakers; and __fish_seen_subcommand_from sync" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "list" -d 'List the latest result of each test taker'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "get" -d 'Show the latest results of some people'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "export" -d 'Write everybody\'s latest result to a file, or to a file per project'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "changes" -d 'Show what is new since the last run'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "summary" -d 'Count the results of a project, with completion and safety rates'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and not __fish_seen_subcommand_from list get export changes summary report" -f -a "report" -d 'Write a report of a project as a web page'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l result -d 'Only these; \'none\' means no result yet' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l completed-since -d 'Completed at this time or later' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l fail-on -d 'Exit with 8 if one of these is found' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l filter -d 'Part of reference id, name or e-mail' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l has-reference-id -d 'With a reference id (true) or without' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l has-last-test-sent -d 'A test was sent to them (true) or not' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l last-test-sent-from -d 'Last test sent at this time or later' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l last-test-sent-to -d 'Last test sent at this time or earlier' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l order -d 'Sort direction' -r -f -a "Asc\t''
Desc\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l order-by -d 'Sort by this field' -r -f -a "Priority\t''
Performance\t''
FullName\t''
LastTestSent\t''
Risk\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l limit -d 'At most this many records, after all filters' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l page -d 'Only page N of the service\'s list' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l page-size -d 'Records per page with --page, 1 to 100 [default: 100]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l all-projects -d 'All projects, except deleted ones'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l flagged -d 'Only results that need action'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l completed-only -d 'Only people who completed a test'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l file -d 'CSV, Excel or one person a line; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l completed-since -d 'Treat results older than TIME as not found' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l fail-on -d 'Exit with 8 if one of these is found' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l skip-invalid -d 'Leave out rows with mistakes'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l result -d 'Only these; \'none\' means no result yet' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l completed-since -d 'Completed at this time or later' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l fail-on -d 'Exit with 8 if one of these is found' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l filter -d 'Part of reference id, name or e-mail' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l has-reference-id -d 'With a reference id (true) or without' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l has-last-test-sent -d 'A test was sent to them (true) or not' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l last-test-sent-from -d 'Last test sent at this time or later' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l last-test-sent-to -d 'Last test sent at this time or earlier' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l to-dir -d 'Write one NAME.csv per project to DIR' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l all-projects -d 'All projects, except deleted ones'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l flagged -d 'Only results that need action'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l completed-only -d 'Only people who completed a test'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l allow-empty -d 'Write the file even without results'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l as -d 'Show what is new since the last run with this NAME' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l fail-on -d 'Exit with 8 if one of these is found' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l dry-run -d 'Show what is new, and remember nothing'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from changes" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from summary" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l to -d 'Write the page to this file' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand results; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and not __fish_seen_subcommand_from issue" -f -a "issue" -d 'Issue test links; a new link ends the earlier one of that person'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l file -d 'CSV, Excel or one person a line; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l redirect-uri -d 'Where the browser goes after the test' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l reference-id -d 'Put this ID in every link' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l skip-invalid -d 'Leave out rows with mistakes'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l all -d 'Everybody in the project'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l own-reference-id -d 'Put each person\'s reference id in the link'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l rotate -d 'Also replace valid links of the --to file'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand links; and __fish_seen_subcommand_from issue" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -f -a "list" -d 'List the workspace\'s redirect URIs'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and not __fish_seen_subcommand_from list add" -f -a "add" -d 'Add redirect URIs to the workspace\'s list'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l order -d 'Sort direction' -r -f -a "Asc\t''
Desc\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l limit -d 'At most this many records, after all filters' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l page -d 'Only page N of the service\'s list' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l page-size -d 'Records per page with --page, 1 to 100 [default: 100]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand redirect-uris; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -f -a "list" -d 'List the projects that this machine remembers'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -f -a "show" -d 'Show what this machine remembers of the people of a project or file'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -f -a "undo" -d 'Remove the people of a file from the project, if this machine enrolled them'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and not __fish_seen_subcommand_from list show undo forget" -f -a "forget" -d 'Delete what this machine remembers; people stay in the service'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l sheet -d 'Sheet of a workbook [default: the first one]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l encoding -d 'Encoding of the file [default: guessed]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l map -d 'Read the column HEADER as FIELD' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l ignore-column -d 'Leave out a column (\'*\': all unknown ones)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l allow-suspicious -d 'Accept suspicious values (in FIELD, or all)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l shared-mailboxes -d 'Rows with different ids may share an e-mail'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s y -l yes -d 'Do not ask'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l dry-run -d 'Only show what would be done'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l older-than -d 'Only what is older than AGE, such as 90d' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l source -d 'Only what `testtakers sync --source NAME` remembers' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -l all -d 'All projects'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -s y -l yes -d 'Do not ask'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand journal; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "init" -d 'Set up a profile by answering four questions'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "show" -d 'Show settings and where they come from'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "set" -d 'Set a setting of a profile'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "unset" -d 'Remove a setting from a profile'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "use" -d 'Make a profile the default'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and not __fish_seen_subcommand_from init show set unset use remove" -f -a "remove" -d 'Remove a profile with its settings'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]' -r -f -a "table\t''
csv\t''
json\t''
ndjson\t''
xlsx\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l to -d 'Write to this file; its ending decides the format' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l fields -d 'Only these fields, in this order' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l jq -d 'Filter JSON output with a jq expression' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l no-header -d 'Print no header'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -l excel -d 'Write CSV that Excel opens safely'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Do not ask'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand config; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -f -a "serve" -d 'Run the sandbox as a server until Ctrl-C'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -f -a "seed" -d 'Enrol made-up people with results'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -f -a "set" -d 'Set a person\'s result or a project\'s state'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and not __fish_seen_subcommand_from serve seed set reset" -f -a "reset" -d 'Remove everything and begin again with one empty project'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l listen -d 'Address and port on this machine' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l key-file -d 'File with the API key; created if missing' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l fault -d 'Rehearse a failure, as above (repeatable)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l provisioning -d 'Refuse links for this long after an enrolment' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l people -d 'How many people' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from seed" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -s p -l project -d 'Project: its name or id' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l result -d 'Latest result, such as HighRisk (any word is taken)' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l completed -d 'When the latest test was completed: a time, or an age such as 2h' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l sent -d 'When the latest invitation was sent' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l top-performer -d 'Whether the person is a top performer' -r -f -a "true\t''
false\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l identity -d 'Status of the latest identity verification, such as NotVerified' -r -f -a "Verified\t''
VerificationPending\t''
NotVerified\t''
VerificationOff\t''
Compromised\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l state -d 'State of the project: Draft, Active, Inactive, ActiveExpired or Deleted' -r -f -a "Draft\t''
Active\t''
Inactive\t''
Deleted\t''
ActiveExpired\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l name -d 'New name of the project' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s y -l yes -d 'Do not ask'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand sandbox; and __fish_seen_subcommand_from reset" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand completions" -s h -l help -d 'Print help'
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l profile -d 'Profile of the configuration file, or sandbox' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l config -d 'Configuration file [default: see config show]' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l base-url -d 'Address of the service' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l api-key-file -d 'File with the API key; - is stdin' -r -F
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l timeout -d 'Longest time for one request, such as 45s' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l concurrency -d 'Max. requests at a time, 1 to 64 [default: 16]' -r
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -l color -d 'auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -s q -l quiet -d 'Print no notes; `list` prints only ids'
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -s v -l verbose -d 'Show method, path, status and time of requests'
complete -c assessctl -n "__fish_assessctl_using_subcommand man" -s h -l help -d 'Print help'
