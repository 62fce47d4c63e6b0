/** Reads the definition of a version from D1, with what it is read with. */
import type { Kind } from '../../../kinds/index.ts';
import type { Database } from '../../context.ts';
import type { Workflow } from '../definition/tree.ts';
import { selectVersion } from '../store.ts';
import { type LoadedSource, makeReady, readyDefinition } from './definitions.ts';
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

/** The definition of a version, ready; undefined where there is no such version. Usually this takes no trip to D1. */
export async function loadDefinition(
  db: Database,
  orgUuid: string,
  version: VersionName,
): Promise<Workflow | undefined> {
  const ready = readyDefinition(version);
  if (ready) return ready;
  const source = await loadSource(db, orgUuid, version);
  return source && (await makeReady(orgUuid, version, source)).workflow;
}

/** @param definition as it is stored @param named what the version names */
export function sourceOf(definition: string, named: readonly NamedRow[]): LoadedSource {
  const kinds: Record<string, Kind> = {};
  for (const { target, endpointKind } of named) if (endpointKind) kinds[target] = endpointKind;
  const pinsVersions = named.some(({ kind }) => kind !== 'endpoint');
  return { stored: definition, kinds, pinsVersions };
}
