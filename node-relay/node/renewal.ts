/**
 * New keys for a node whose relay goes on: a secret in its data folder has it make them. Its processes open what is
 * sealed to either key, so that no call is lost. Spec: nodes.md §1, "the old keys serving until it is used".
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { newKeys, writeKept, writeKeys, writePartKeys } from './files.ts';
import type { Joined } from './gateway.ts';
import { GatewayRefusal } from './gateway-refusal.ts';
import { ask, digestOfSecret, type Membership } from './join.ts';
import { type NodeFiles, type NodeKeys, readKept, readKeys } from './settings.ts';

/** Milliseconds between two looks for a secret. Spec silent. */
const LOOK_MS = 500;
/** Milliseconds in which all processes of the relay use changed keys: they look twice a second. */
const TAKEN_MS = 2_000;
/** Milliseconds for which the keys before still open: clients bring back what they sealed. */
const KEPT_MS = 3_600_000;
/** Milliseconds before the gateway is asked again. */
const AGAIN_MS = 1_000;

/** Whose keys are renewed. */
interface RenewalOptions {
  readonly member: Membership;
  readonly files: NodeFiles;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Renews the keys each time that a secret is in the folder, until the answer is called. */
export function watchEnrolment(options: RenewalOptions): () => void {
  const { files, log } = options;
  let running = Promise.resolve();
  let dropping: NodeJS.Timeout | undefined;
  const look = (): void => {
    running = running
      .then(async () => {
        const drop = await renewBySecret(options);
        if (drop === undefined) return;
        clearTimeout(dropping);
        dropping = setTimeout(() => drop().catch(() => {}), KEPT_MS).unref();
      })
      .catch(() => log.warn('the keys of the node could not be renewed'));
  };
  watchFile(files.enrolment, { interval: LOOK_MS, persistent: false }, look);
  look();
  return () => unwatchFile(files.enrolment, look);
}

/** @returns what ends the keys before; undefined where nothing was renewed */
type Drop = (() => Promise<void>) | undefined;

async function renewBySecret(options: RenewalOptions): Promise<Drop> {
  const { files } = options;
  const text = await readFile(files.enrolment, 'utf8').catch(() => '');
  const secret = text.trim();
  if (secret === '') return undefined;
  await rm(files.enrolment, { force: true });
  return renew(options, secret);
}

async function renew({ member, files, log }: RenewalOptions, secret: string): Promise<Drop> {
  const { gateway } = member;
  const [before, keys] = [readKeys(files), await newKeys()];
  if (before === undefined) return undefined;
  // What is sealed to the new key can be opened before the gateway seals to it.
  const gatewayKeys = process.env.GATEWAY_PUBLIC_KEY ? undefined : gateway.heardKeys;
  await writePartKeys(files, keys, { before, gatewayKeys });
  await sleep(TAKEN_MS);
  gateway.isRenewing = true;
  try {
    const { name } = await enrolled(member, keys, secret);
    await writeKeys(files, keys);
    gateway.use(keys);
    const kept = readKept(files);
    if (kept !== undefined)
      await writeKept(files, { ...kept, name, secretDigest: digestOfSecret(secret) });
    log.info('the node has new keys');
    return () => writePartKeys(files, keys, { gatewayKeys });
  } catch (thrown) {
    if (!(thrown instanceof GatewayRefusal)) throw thrown;
    await writePartKeys(files, before, { gatewayKeys });
    log.warn({ why: thrown.message }, 'the node keeps its keys');
    return undefined;
  } finally {
    gateway.isRenewing = false;
  }
}

/** Asks until there is an answer; where one was lost, the gateway may have the new keys already. @throws Refused */
async function enrolled(
  { gateway, organization }: Membership,
  keys: NodeKeys,
  secret: string,
): Promise<Joined> {
  const anew = gateway.withKeys(keys);
  let isLost = false;
  for (;;) {
    try {
      return await ask(anew, keys, organization, isLost ? undefined : secret);
    } catch (thrown) {
      const isAnswer = thrown instanceof GatewayRefusal && thrown.isFinal;
      if (isAnswer && !isLost) throw thrown;
      // It was lost before it came there: the secret is good yet.
      isLost = !isAnswer;
      await sleep(AGAIN_MS);
    }
  }
}
