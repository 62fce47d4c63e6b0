/** `npm run rotate`: changes a key of a gateway while it runs, in two steps with both keys in use between them. */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { flagFault } from '../proto/flags.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { Failure, runScript } from './failure.ts';
import { isInForce, type KeyStatus, statusFile } from './key-changes.ts';
import { publicHalf } from './key-pairs.ts';
import { KEY_NAMES, type KeyName, keyFiles, newKey } from './keys.ts';
import { isLocked } from './lock.ts';
import { gatewayKeys } from './relay-keys.ts';

const HELP = `Changes a key of a gateway on this machine, also while it runs; no call fails.

Usage: npm run rotate --silent -- NAME [--data FOLDER]            makes a new key; the old one stays in use, too
       npm run rotate --silent -- NAME --finish [--data FOLDER]   removes the old one

  NAME            ${KEY_NAMES.join(', ')}
  --data FOLDER   the data folder of the gateway (.causeway) [DATA]
  --force         with --finish: does not wait until what the old key signed has expired
  --help          this text

The first step ends when the gateway uses the new key; for INSTALLATION_KEY when all data keys are sealed
with it. Interrupted, it goes on when it is run again. Keys that come from the environment are changed
there: docs/operate.md says how.
`;

const FLAGS = {
  data: { type: 'string' },
  finish: { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Milliseconds in which a running gateway uses a changed key. */
const TAKEN_MAX_MS = 60_000;
const LOOK_MS = 100;
/** Seconds that the old key has to stay: what it signed or sealed for clients is used that long. */
const HELD_S = {
  JWT_SECRET: undefined,
  INSTALLATION_KEY: 0,
  GATEWAY_KEY: 60,
  RELAY_NODE_KEY: 3_600,
};

/** One change of one key. */
interface KeyChange {
  readonly name: KeyName;
  /** `--data` as it was given; the environment's is there at the next command, too. */
  readonly data: string | undefined;
  readonly folder: DataFolder;
  readonly files: { readonly current: string; readonly previous: string };
  /** Whether a gateway runs on the folder. */
  readonly isRunning: boolean;
}

await runScript(async () => {
  const { values, positionals } = argumentsOf(process.argv.slice(2));
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const name = nameOf(positionals);
  const folder = await openDataFolder(values.data ?? (process.env.DATA || '.causeway'));
  const files = keyFiles(folder, name);
  const change = { name, data: values.data, folder, files, isRunning: isLocked(folder) };
  if (values.finish) await finish(change, values.force ?? false);
  else await begin(change);
});

function argumentsOf(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true });
  } catch (thrown) {
    throw new Failure(`${flagFault(thrown, Object.keys(FLAGS))}.`, { cause: thrown });
  }
}

function nameOf(positionals: readonly string[]): KeyName {
  const [given = ''] = positionals;
  const name = KEY_NAMES.find((each) => each === given);
  if (name !== undefined && positionals.length === 1) return name;
  throw new Failure(`One of ${KEY_NAMES.join(', ')} is to be named; see --help.`);
}

async function begin(change: KeyChange): Promise<void> {
  const { name, data, files } = change;
  const current = await kept(files.current);
  if (current === undefined) {
    throw new Failure(
      `There is no ${files.current}: where ${name} comes from the environment it is changed there.`,
    );
  }
  const before = await kept(files.previous);
  if (before === undefined) await replace(change, current);
  else say(`A change of ${name} in ${keysOf(change)} has begun already; going on with it.`);
  await inForce(change);
  if (name === 'INSTALLATION_KEY') await sealed(change);
  if (name === 'GATEWAY_KEY') await tellRelays(change);
  const finishing = `npm run rotate --silent -- ${name} --finish${dataFlag(data)}`;
  say(`Both keys are in use. To remove the old one: ${finishing}${await when(change)}`);
}

/** For a shell. */
function dataFlag(data: string | undefined): string {
  if (data === undefined) return '';
  const isPlain = /^[\w@%+=:,./-]+$/.test(data);
  return ` --data ${isPlain ? data : `'${data.replaceAll("'", "'\\''")}'`}`;
}

/** The folder that the keys lie in. */
function keysOf({ files }: KeyChange): string {
  return dirname(files.current);
}

/** The old one first: at no time is it missing. */
async function replace(change: KeyChange, current: string): Promise<void> {
  const { name, files } = change;
  const node =
    name === 'RELAY_NODE_KEY' ? await nodeUuid(JSON.parse(publicHalf(name, current))) : undefined;
  await write(files.previous, current);
  await write(files.current, await newKey(name, node));
  say(`A new ${name} is made in ${keysOf(change)}.`);
}

async function finish(change: KeyChange, isForced: boolean): Promise<void> {
  const { name, files, isRunning } = change;
  if ((await kept(files.previous)) === undefined) {
    throw new Failure(`No change of ${name} is under way: there is no ${files.previous}.`);
  }
  const until = await heldUntil(change);
  if (!isForced && until > Date.now()) {
    const time = new Date(until).toISOString();
    throw new Failure(
      `The old ${name} has to stay until ${time}: what it signed or sealed is in use. Wait, or add --force.`,
    );
  }
  if (name === 'INSTALLATION_KEY') {
    if (!isRunning) {
      throw new Failure('Start the gateway first: it says whether all data keys are sealed again.');
    }
    await inForce(change);
    await sealed(change);
  }
  await rm(files.previous);
  await inForce(change);
  say(`The old ${name} is removed from ${keysOf(change)}.`);
}

/** Waits until the gateway uses what the files hold. */
async function inForce({ name, folder, files, isRunning }: KeyChange): Promise<void> {
  if (!isRunning) {
    say('The gateway does not run: it uses the keys when it starts.');
    return;
  }
  const [current = '', previous = ''] = [await kept(files.current), await kept(files.previous)];
  const until = Date.now() + TAKEN_MAX_MS;
  while (Date.now() < until) {
    const status = await statusOf(folder);
    if (
      status &&
      isInForce(status, name, current) &&
      isInForce(status, `${name}_PREVIOUS`, previous)
    ) {
      return;
    }
    if (status?.refused) throw new Failure(`The gateway does not use the key: ${status.refused}`);
    await sleep(LOOK_MS);
  }
  throw new Failure(`The gateway does not use the changed ${name}; its log says why.`);
}

/** Waits until all data keys are sealed with the new key, and says how far that is. */
async function sealed({ folder, isRunning }: KeyChange): Promise<void> {
  let said = '';
  while (isRunning) {
    const { sealing } = (await statusOf(folder)) ?? {};
    if (sealing !== undefined) {
      const line = `${sealing.all - sealing.left} of ${sealing.all} data keys are sealed with the new key.`;
      if (line !== said) say(line);
      said = line;
      if (sealing.left === 0) return;
    }
    await sleep(LOOK_MS);
  }
}

async function tellRelays({ files }: KeyChange): Promise<void> {
  const [current = '', previous = ''] = [await kept(files.current), await kept(files.previous)];
  const keys = gatewayKeys({ GATEWAY_KEY: current, previous: { GATEWAY_KEY: previous } });
  say(`Relays elsewhere need both before the old one is removed: GATEWAY_PUBLIC_KEY='[${keys}]'`);
}

async function when(change: KeyChange): Promise<string> {
  const until = await heldUntil(change);
  return until > Date.now() ? ` (from ${new Date(until).toISOString()} on)` : '';
}

/** Unix epoch milliseconds. */
async function heldUntil({ name, folder, files }: KeyChange): Promise<number> {
  const { mtimeMs } = await stat(files.current);
  const heldS = HELD_S[name] ?? (await statusOf(folder))?.tokenLifeS ?? 3_600;
  return mtimeMs + heldS * 1000;
}

async function statusOf(folder: DataFolder): Promise<KeyStatus | undefined> {
  const text = await readFile(statusFile(folder), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

async function kept(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(() => undefined))?.trimEnd();
}

/** Whole or not at all. */
async function write(file: string, key: string): Promise<void> {
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
