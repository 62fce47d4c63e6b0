/** Reads the definition of a version from D1, with what it is read with. */
import type { Kind } from '../../../kinds/index.ts';
import type { Database } from '../../context.ts';
import { selectVersion } from '../store.ts';
import { runnable, storedDefinition } from '../stored.ts';
import type { Source } from './definitions.ts';
import { selectNamed, type VersionName } from './store.ts';

/** Undefined where there is no such version. */
export async function loadSource(
  db: Database,
  orgUuid: string,
  { uuid, version }: VersionName,
): Promise<Source | undefined> {
  const [[row], named] = await db.batch([
    selectVersion(db, orgUuid, uuid, version),
    selectNamed(db, orgUuid, { uuid, version }),
  ]);
  if (!row) return undefined;
  const kinds: Record<string, Kind> = {};
  for (const { target, endpointKind } of named) if (endpointKind) kinds[target] = endpointKind;
  return { definition: runnable(storedDefinition(row.definition)), kinds };
}
