/** What a run's end leaves behind: a dead letter, where its workflow keeps such. Spec: workflows.md §4, `deadLetterQueue`. */
import { type JsonObject, parseJson } from '../../../proto/json.ts';
import { databaseOf } from '../../context.ts';
import { type SealingContext, seal } from '../../secrets/seal.ts';
import { settingsOf } from '../../settings.ts';
import type { RunRow } from './journal.ts';
import { uuidOf } from './names.ts';
import type { Owner } from './object.ts';
import type { Reachable } from './reachable.ts';
import { keepUntil } from './run-rows.ts';
import { insertDeadLetter } from './store.ts';
import { addTells } from './tells.ts';

/** What seals the error of a dead letter. */
export function letterSealing(
  settings: SealingContext['settings'],
  { orgUuid, sealedDataKey }: Pick<Owner, 'orgUuid' | 'sealedDataKey'>,
  letter: string,
): SealingContext {
  return { settings, orgUuid, sealedDataKey, purpose: `workflow-dead-letter:${letter}` };
}

/** Leaves a dead letter of a run that failed. A later failure of the same run leaves another. */
export async function endedOutside(at: Reachable, row: RunRow): Promise<void> {
  const { env, driver } = at;
  const { status, error, endedAt } = row.body;
  const letters = driver.workflowOf(row)?.deadLetters;
  if (status !== 'failed' || !letters || error === undefined) return;
  const { vault } = driver.keeper;
  const uuid = uuidOf(vault.tagOf(JSON.stringify(['dead letter', row.id, endedAt])));
  const text = vault.text(row.run, error);
  const { action } = parseJson(text) as JsonObject; // As the engine made it.
  const { orgUuid, workflow } = row.head;
  const { destination } = letters;
  await insertDeadLetter(databaseOf(env), {
    orgUuid,
    uuid,
    workflowUuid: workflow.uuid,
    runUuid: row.id,
    version: workflow.version,
    sealedError: await seal(letterSealing(settingsOf(env), row.head, uuid), text),
    failedAction: typeof action === 'string' && action !== '' ? action : null,
    destination: destination ?? null,
    retryable: letters.retryable,
    createdAt: endedAt,
    expiresAt: endedAt + letters.retentionMs,
    redrivenAt: null,
  });
  keepUntil(driver.keeper.sql, row.run, endedAt + letters.retentionMs);
  const data = { ...(destination === undefined ? {} : { destination }), dead_letter: uuid };
  const tell = { do: 'tell', event: 'dead-letter', path: '', data } as const;
  addTells(driver.keeper.sql, row.run, `letter-${uuid}`, [tell]);
}
