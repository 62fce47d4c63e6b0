/** `npm run dev`: `wrangler dev`, which builds again at every change, with a relay next to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './bundle.ts';
import { openDataFolder } from './data-folder.ts';
import { Failure, runScript } from './failure.ts';
import { lockDataFolder } from './lock.ts';
import { logAs } from './log.ts';
import { isLoopback, readOptions } from './options.ts';
import { tellOwnPorts } from './own-ports.ts';
import { planOf, relayEnvironment } from './plan.ts';
import { startRelay } from './relay-process.ts';
import { Shutdown, stopOnSignals } from './shutdown.ts';
import { runTool, toolEnvironment } from './tools.ts';

const HELP = `Runs wrangler dev with a relay beside it; keys and state are kept apart from those of npm start.

Usage: npm run dev -- [--port PORT] [--relay-port PORT] [--data FOLDER]

Defaults and settings are those of npm start; see npm start -- --help.
`;

await runScript(async () => {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  if (!isLoopback(options.host) || options.demo || options.trustedProxy !== undefined) {
    throw new Failure(
      'npm run dev serves this machine alone: --host, --demo and TRUSTED_PROXY are for npm start.',
    );
  }
  if (process.argv.some((each) => each.startsWith('--workers'))) {
    throw new Failure('npm run dev runs one runtime: --workers is for npm start.');
  }
  if (process.env.RELAY_URL) {
    throw new Failure('npm run dev runs a relay of its own: RELAY_URL is for npm start.');
  }
  logAs(options.logFormat);
  const folder = await openDataFolder(options.data);
  lockDataFolder(folder);
  const plan = await planOf(options, folder);
  const shutdown = new Shutdown();
  stopOnSignals(shutdown);
  const state = join(folder.path, 'dev');
  const variables = join(folder.path, 'dev.env');
  await writeFile(variables, environmentFile(plan.bindings), { mode: 0o600 });
  const migrated = await runTool('wrangler', [
    'd1',
    'migrations',
    'apply',
    'DB',
    '--local',
    '--persist-to',
    state,
  ]);
  if (!migrated.ok) throw new Failure(`The local D1 could not be migrated: ${migrated.output}`);
  // Those of wrangler's own innards are not known: it serves a developer alone.
  await tellOwnPorts(folder, [plan.port, plan.relayPort]);
  const relay = await startRelay(plan.relayPort, relayEnvironment(plan));
  await shutdown.add(() => relay.stop());
  const wrangler = spawn(
    join(ROOT, 'node_modules/.bin/wrangler'),
    [
      'dev',
      '--port',
      String(plan.port),
      '--ip',
      options.host,
      '--env-file',
      variables,
      '--persist-to',
      state,
    ],
    { cwd: ROOT, env: toolEnvironment(), stdio: 'inherit' },
  );
  const ended = once(wrangler, 'exit');
  await shutdown.add(async () => {
    wrangler.kill('SIGTERM');
    await ended;
  });
  const [code] = await ended;
  if (shutdown.begun) return;
  await shutdown.stop();
  process.exitCode = code ?? 1;
});

/** No value of a setting holds a single quote or a line break: they are keys, numbers, URLs and JSON. */
function environmentFile(bindings: Readonly<Record<string, string>>): string {
  return Object.entries(bindings)
    .map(([name, value]) => {
      if (/['\n]/.test(value)) throw new Failure(`${name} may hold no quote and no line break.`);
      return `${name}='${value}'\n`;
    })
    .join('');
}
