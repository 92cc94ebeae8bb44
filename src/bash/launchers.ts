// Data: programs that start others at another place or from a project: ssh, containers, package runners, git.
// The keys are those of WrapperRow in wrappers.ts. Names are separated by commas, `git bisect` is a sub-command.

import type { WrapperRow } from './wrappers.ts'

const toolRunners = 'uv poetry pipenv pdm hatch rye bundle conda mamba pipx asdf doppler op infisical dotenvx volta fnm rbenv pyenv'.split(
  ' ',
)

export const launchers: readonly (readonly [names: string, row: WrapperRow])[] = [
  [
    'ssh',
    {
      sought: true,
      options: `
      -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -b=text -B=text -c=text -D=text -E=path -e=text -F=path
      -I=path -i=path -J=text -L=text -l=text -m=text -O=text -o=text -P=text -p=text -Q=text -R=text -S=path -W=text -w=text`,
      skip: 1,
      optionsBehind: true,
      rest: 'joined',
    },
  ],
  // Nobody knows where the command begins: each of the first words may be it.
  [
    'mosh, autossh, machinectl, lxc, incus, multipass, limactl, colima, toolbox, distrobox, distrobox-enter, flatpak, heroku, fly, flyctl, nomad, crictl, guix, salt, pdsh',
    { sought: true, options: '', guesses: 8 },
  ],
  [
    'xterm, uxterm, rxvt, urxvt, konsole, alacritty, foot, st, terminator, kitty, x-terminal-emulator, gnome-terminal',
    { seeks: '-e -x --' },
  ],
  ['vagrant', { sought: true, subCommands: true }],
  ['vagrant ssh', { options: '-c=code -t -p --command=code --plain', permutes: true, rest: 'nothing' }],
  [
    'docker',
    {
      sought: true,
      options: `
      -D -H=text -c=text -l=text -v --config=path --context=text --debug --host=text --log-level=text --tls --tlscacert=path
      --tlscert=path --tlskey=path --tlsverify`,
      subCommands: true,
    },
  ],
  [
    'docker exec',
    {
      options: `
      -d -i -t -e=text -u=text -w=path --detach --detach-keys=text --env=text --env-file=path --interactive --privileged --tty
      --user=text --workdir=path`,
      skip: 1,
    },
  ],
  [
    'docker run, docker create',
    {
      options: `
      -a=text -c=text -d -e=text -h=text -i -l=text -m=text -P -p=text -q -t -u=text -v=text -w=path --entrypoint=text --env=text
      --env-file=path --name=text --network=text --net=text --rm --init --privileged --read-only --restart=text --user=text
      --volume=text --mount=text --workdir=path --platform=text --pull=text --memory=text --cpus=text --label=text --add-host=text
      --cap-add=text --cap-drop=text --device=text --gpus=text --hostname=text --ipc=text --pid=text --publish=text
      --security-opt=text --shm-size=text --tmpfs=text --ulimit=text --userns=text --detach --interactive --tty --log-driver=text`,
      skip: 1,
    },
  ],
  ['docker container', { subCommands: true }],
  [
    'docker container exec',
    { options: '-d -i -t -e=text -u=text -w=path --env=text --user=text --workdir=path --interactive --tty', skip: 1 },
  ],
  [
    'docker compose, docker-compose, podman-compose',
    {
      options: '-f=path -p=text --file=path --project-name=text --profile=text --env-file=path --project-directory=path',
      subCommands: true,
    },
  ],
  [
    'docker compose exec, docker-compose exec, podman-compose exec',
    {
      options: `
      -d -T -e=text -u=text -w=path --detach --env=text --index=text --no-TTY --privileged --user=text --workdir=path`,
      skip: 1,
    },
  ],
  [
    'docker compose run, docker-compose run, podman-compose run',
    {
      options: `
      -d -T -e=text -u=text -w=path -p=text -v=text --rm --no-deps --entrypoint=text --env=text --name=text --user=text --workdir=path
      --service-ports --build`,
      skip: 1,
    },
  ],
  ['podman, nerdctl', { sought: true, options: '-c=text --log-level=text --url=text', subCommands: true }],
  [
    'podman exec, nerdctl exec',
    { options: '-d -i -t -e=text -u=text -w=path --env=text --user=text --workdir=path --interactive --tty --latest', skip: 1 },
  ],
  [
    'podman run, nerdctl run',
    {
      options: `
      -a=text -d -e=text -h=text -i -m=text -p=text -q -t -u=text -v=text -w=path --entrypoint=text --env=text --name=text
      --network=text --rm --user=text --volume=text --workdir=path --pod=text`,
      skip: 1,
    },
  ],
  [
    'kubectl, oc',
    {
      sought: true,
      options: `
      -n=text -s=text --namespace=text --context=text --kubeconfig=path --cluster=text --user=text --server=text --token=text`,
      subCommands: true,
    },
  ],
  ['kubectl exec, kubectl debug, kubectl run, oc exec, oc debug, oc run', { behindDashes: true }],
  [
    'npx',
    { sought: true, options: '-y -q -p=text -c=code -w=text --yes --no --no-install --package=text --call=code --workspace=text --quiet' },
  ],
  ['bunx', { sought: true, options: '--bun' }],
  [
    'npm, pnpm, yarn, bun',
    { sought: true, options: '--prefix=path -C=path -w=text --workspace=text --silent -s -F=text --filter=text', subCommands: true },
  ],
  [
    'npm exec, npm x, npm dlx, pnpm exec, pnpm x, pnpm dlx, yarn exec, yarn x, yarn dlx, bun exec, bun x, bun dlx',
    { options: '-y -c=code -p=text --yes --package=text --call=code -w=text --workspace=text' },
  ],
  [toolRunners.join(', '), { sought: true, options: '-n=text -p=text -e=text --directory=path --project=path', subCommands: true }],
  [
    toolRunners.flatMap(tool => ['run', 'exec', 'x', 'tool'].map(verb => `${tool} ${verb}`)).join(', '),
    { options: '-n=text -p=text -e=text --with=text --from=text --python=text --env-file=path -f=path --command=code -v -q' },
  ],
  ['direnv, mise, aws-vault, chamber, deno', { sought: true, subCommands: true }],
  [
    'direnv exec, aws-vault exec, chamber exec',
    { options: '-d=text -n -r=text -t=text -b=text --duration=text', skip: 1, optionsBehind: true },
  ],
  ['mise exec, mise x', { options: '-c=code --command=code', behindDashes: true }],
  [
    'deno run',
    { options: '-A -q -r[=text] -c=path --config=path --import-map=path --allow-all --allow-net[=text] --allow-read[=text] --ext=text' },
  ],
  ['dotenv', { sought: true, options: '-e=path -f=path -c[=text] -v=text -o -p=text -q=text --file=path' }],
  ['nix', { options: '--extra-experimental-features=text --experimental-features=text', subCommands: true }],
  ['nix develop, nix shell', { seeks: '-c --command' }],
  ['uvx', { sought: true, options: '--from=text --with=text -p=text --python=text' }],
  [
    'git',
    {
      options: `
      -C=path -c=text -p -P --git-dir=path --work-tree=path --namespace=text --exec-path[=path] --config-env=text --no-pager
      --paginate --bare --no-replace-objects --literal-pathspecs --no-optional-locks`,
      subCommands: true,
    },
  ],
  ['git bisect', { subCommands: true }],
  ['git bisect run', { options: '' }],
  ['git submodule', { options: '-q --quiet', subCommands: true }],
  ['git submodule foreach', { options: '-q --quiet --recursive', rest: 'joined' }],
  ['git rebase', { sought: true, options: '-x=code --exec=code -s=text -X=text -C=text', permutes: true, rest: 'nothing' }],
  ['git difftool', { sought: true, options: '-x=code --extcmd=code -t=text --tool=text', permutes: true, rest: 'nothing' }],
  [
    'git fetch, git pull, git clone, git ls-remote',
    { sought: true, options: '-u=code --upload-pack=code --exec=code', permutes: true, rest: 'nothing' },
  ],
  ['git push', { sought: true, options: '--receive-pack=code --exec=code', permutes: true, rest: 'nothing' }],
  [
    'git filter-branch',
    {
      sought: true,
      options: `
      --env-filter=code --tree-filter=code --index-filter=code --parent-filter=code --msg-filter=code --commit-filter=code
      --tag-name-filter=code`,
      permutes: true,
      rest: 'nothing',
    },
  ],
]
