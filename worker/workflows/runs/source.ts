/** Reads the definition of a version from D1, with what it is read with. */
import type { Kind } from '../../../kinds/index.ts';
import type { Database } from '../../context.ts';
import { selectVersion } from '../store.ts';
import { runnable, storedDefinition } from '../stored.ts';
import type { LoadedSource } from './definitions.ts';
import { selectNamed, type VersionName } from './store.ts';

type NamedRow = Awaited<ReturnType<typeof selectNamed>>[number];

/** Undefined where there is no such version. */
export async function loadSource(
  db: Database,
  orgUuid: string,
  { uuid, version }: VersionName,
): Promise<LoadedSource | undefined> {
  const [[row], named] = await db.batch([
    selectVersion(db, orgUuid, uuid, version),
    selectNamed(db, orgUuid, { uuid, version }),
  ]);
  return row && sourceOf(row.definition, named);
}

/** @param definition as it is stored @param named what the version names */
export function sourceOf(definition: string, named: readonly NamedRow[]): LoadedSource {
  const kinds: Record<string, Kind> = {};
  for (const { target, endpointKind } of named) if (endpointKind) kinds[target] = endpointKind;
  const pinsVersions = named.some(({ kind }) => kind !== 'endpoint');
  return { definition: runnable(storedDefinition(definition)), kinds, pinsVersions };
}
