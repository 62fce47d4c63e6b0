/** Changes of keys while the gateway runs: seen in their files, and in force without a new start. */
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataFolder } from './data-folder.ts';
import type { Edge, SealedKeys } from './edge.ts';
import { Failure } from './failure.ts';
import { keyDigest } from './key-pairs.ts';
import { KEY_NAMES, type KeyName, type Keys, keyFiles, readKeys, withKeysFile } from './keys.ts';
import { log } from './log.ts';
import { checkSettings, keyBindings, type StartPlan } from './plan.ts';
import { readRelayElsewhere } from './relay-elsewhere.ts';
import { relayHasKeys, writeRelayKeys } from './relay-keys.ts';

/** Milliseconds between two looks at the files. */
const LOOK_MS = 500;
/** Milliseconds between two accounts of how far the sealing is. */
const TOLD_MS = 250;

/** What the gateway reports its keys, for a program that changes them. */
export interface KeyStatus {
  /** Digests of the keys in force, by their names and those of the ones before. */
  readonly inForce: Readonly<Record<string, string>>;
  /** Seconds that a login token lives. */
  readonly tokenLifeS: number;
  /** While data keys are sealed again. */
  readonly sealing?: SealedKeys;
  /** Why the files' keys are not used. */
  readonly refused?: string;
}

/** The file with the status. */
export function statusFile({ path }: DataFolder): string {
  return join(path, 'run/keys-status.json');
}

/** Follows the files until the answer is called. */
export async function followKeys(plan: StartPlan, edge: Edge): Promise<() => void> {
  const follower = new KeyFollower(plan, edge);
  await follower.begin();
  return () => follower.stop();
}

class KeyFollower {
  readonly #plan: StartPlan;
  readonly #edge: Edge;
  #keys: Keys;
  #stamp = '';
  #stopped = false;

  constructor(plan: StartPlan, edge: Edge) {
    this.#plan = plan;
    this.#edge = edge;
    this.#keys = plan.keys;
  }

  async begin(): Promise<void> {
    this.#stamp = await this.#stampNow();
    await this.#tell();
    void this.#follow();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #follow(): Promise<void> {
    await this.#seal().catch(unsealed);
    while (!this.#stopped) {
      await sleep(LOOK_MS, undefined, { ref: false });
      const stamp = await this.#stampNow();
      if (stamp === this.#stamp || this.#stopped) continue;
      this.#stamp = stamp;
      await this.#take().catch((thrown: unknown) => this.#refuse(thrown));
      await this.#seal().catch(unsealed);
    }
  }

  /** Relays first: they take calls of both keys before any is made with the new one. */
  async #take(): Promise<void> {
    const { folder, bindings, relayPort } = this.#plan;
    const environment = withKeysFile(process.env);
    // Its key may have changed; whether a relay of our own runs may not.
    const elsewhere = this.#plan.elsewhere && readRelayElsewhere(environment);
    const keys = await readKeys(folder, environment, elsewhere === undefined);
    const changed = keyBindings(keys, elsewhere);
    checkSettings({ ...bindings, ...changed });
    if (elsewhere === undefined) {
      await writeRelayKeys(folder, keys);
      await relayHasKeys(relayPort, keys, bindings.METRICS_TOKEN ?? '');
    }
    await this.#edge.changeKeys(changed);
    this.#keys = keys;
    await this.#tell();
    log('info', 'Keys have changed.');
  }

  async #refuse(thrown: unknown): Promise<void> {
    const why = thrown instanceof Failure ? thrown.message : 'They cannot be used.';
    log('warn', 'The changed keys are not used.', { why });
    await this.#tell({ refused: why });
  }

  /** Has data keys sealed again, as long as that goes on. */
  async #seal(): Promise<void> {
    if (this.#keys.previous.INSTALLATION_KEY === undefined) return;
    const key = this.#keys.INSTALLATION_KEY;
    let before = Number.POSITIVE_INFINITY;
    let sealing = await this.#edge.sealedKeys(key);
    while (sealing.left > 0 && sealing.left < before && !this.#stopped) {
      before = sealing.left;
      const rounds = this.#edge.reseal();
      const ended = rounds.then(() => true);
      while (!(await Promise.race([ended, sleep(TOLD_MS, false)]))) {
        await this.#tell({ sealing: await this.#edge.sealedKeys(key) });
      }
      sealing = await this.#edge.sealedKeys(key);
    }
    await this.#tell({ sealing });
    log('info', 'Data keys are sealed under the current key.', sealing);
  }

  /** In one step: a reader never sees half a file. */
  async #tell(more: Pick<KeyStatus, 'sealing' | 'refused'> = {}): Promise<void> {
    const { previous, ...current } = this.#keys;
    const before = KEY_NAMES.map((name) => [`${name}_PREVIOUS`, previous[name] ?? ''] as const);
    const inForce = [...Object.entries(current), ...before].map(([name, key]) => [
      name,
      key === '' ? '' : keyDigest(key),
    ]);
    const status: KeyStatus = {
      inForce: Object.fromEntries(inForce),
      tokenLifeS: Number(this.#plan.bindings.JWT_LIFETIME_S ?? 3600),
      ...more,
    };
    const file = statusFile(this.#plan.folder);
    await writeFile(`${file}.new`, JSON.stringify(status), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** Changes with every change of a file that holds keys. */
  async #stampNow(): Promise<string> {
    const { folder } = this.#plan;
    const kept = KEY_NAMES.flatMap((name) => Object.values(keyFiles(folder, name)));
    const files = [...kept, process.env.KEYS_FILE ?? ''];
    const stamps = await Promise.all(
      files.map((file) =>
        stat(file).then(
          ({ mtimeMs, size, ino }) => `${file}:${mtimeMs}:${size}:${ino}`,
          () => '',
        ),
      ),
    );
    return stamps.join('\n');
  }
}

function unsealed(thrown: unknown): void {
  const why = thrown instanceof Error ? thrown.message : 'unknown';
  log('warn', 'Data keys could not be sealed again; the next minute tries again.', { why });
}

/** Whether a key is one that the gateway uses. */
export function isInForce(
  { inForce }: KeyStatus,
  name: KeyName | `${KeyName}_PREVIOUS`,
  key: string,
) {
  return inForce[name] === (key === '' ? '' : keyDigest(key));
}
