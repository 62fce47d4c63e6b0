/**
 * Seals the organizations' data keys under the installation's current key, after it has changed.
 * Contract §5. Nothing remembers how far it came: what is left is what is sealed otherwise.
 */
import { type Bindings, databaseOf } from '../context.ts';
import { log } from '../log.ts';
import { type Settings, settingsOf } from '../settings.ts';
import { sealOf } from './data-key-seal.ts';
import { resealDataKey } from './seal.ts';
import { selectSealedOtherwise, updateSealedDataKey } from './store.ts';

/** Data keys of one batch. */
const BATCH = 100;
/** Batches of one round: the clock's next goes on from there. */
const BATCHES_MAX = 100;

/** Settings under which nothing was left. */
const finished = new WeakSet<Settings>();

/**
 * One round over all organizations; it does nothing where no key before the current one is set. A
 * data key that neither key opens stays as it is.
 */
export async function resealDataKeys(env: Bindings): Promise<void> {
  const settings = settingsOf(env);
  if (settings.INSTALLATION_KEY_PREVIOUS === undefined || finished.has(settings)) return;
  const db = databaseOf(env);
  const seal = await sealOf(settings.INSTALLATION_KEY);
  let after = '';
  let [done, unopened] = [0, 0];
  for (let round = 0; round < BATCHES_MAX; round += 1) {
    const rows = await selectSealedOtherwise(db, seal, after, BATCH);
    const changes = await Promise.all(
      rows.map(async ({ orgUuid, sealedDataKey }) => {
        const resealed = await resealDataKey(settings, orgUuid, sealedDataKey);
        if (resealed === undefined) return [];
        return [updateSealedDataKey(db, orgUuid, sealedDataKey, resealed)];
      }),
    );
    const [first, ...others] = changes.flat();
    if (first) await db.batch([first, ...others]);
    done += changes.flat().length;
    unopened += changes.filter((each) => each.length === 0).length;
    after = rows.at(-1)?.orgUuid ?? after;
    if (rows.length < BATCH) {
      if (unopened > 0) log('error', 'data keys open under neither key', { data_keys: unopened });
      else finished.add(settings);
      log('info', 'data keys are sealed under the current key', { data_keys: done });
      return;
    }
  }
}
