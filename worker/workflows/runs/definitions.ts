/** Definitions that an object's runs are pinned to: kept with the runs, so that they outlive the workflow. */
import type { Kind } from '../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../proto/json.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import { orderedText } from '../../../proto/ordered-json.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { parseDefinitionInPieces } from '../../../proto/written-json.ts';
import { readInTurn } from '../../limits/heavy-work.ts';
import { readWorkflowInPieces } from '../definition/read.ts';
import type { Workflow } from '../definition/tree.ts';
import { runnable, storedInPieces } from '../stored.ts';
import type { WorkflowVersion } from './head.ts';
import type { Keeper } from './keeper.ts';

/** A definition that the isolate has ready. */
interface Ready {
  readonly workflow: Workflow;
  /** JSON of its `Source`. */
  readonly text: string;
  /** Whether the version names templates or workflows, whose versions its runs are pinned to; undefined is not known. */
  readonly pinsVersions: boolean | undefined;
}

/** Definitions that an isolate keeps ready, and characters of them: one takes about ten times as many bytes. */
const READY_MAX = 10_000;
const READY_CHARACTERS = 8 * 1024 * 1024;
/** What an id that an expression holds counts as. */
const CHARACTERS_OF_LOOK = 3;
const ready = new LruMap<string, Ready>(READY_MAX, {
  most: READY_CHARACTERS,
  of: ({ text, workflow }) => text.length + CHARACTERS_OF_LOOK * workflow.looks,
});
/** Characters of a definition up to which it is read at once. */
const LIGHT_CHARACTERS = 16 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A definition with what it was read with. */
interface Source {
  readonly definition: JsonObject;
  /** Of the endpoints that it names, by their names there. */
  readonly kinds: { readonly [endpoint: string]: Kind };
}

/** A definition as D1 has it. */
export interface LoadedSource extends Pick<Source, 'kinds'> {
  /** The JSON text that is stored. */
  readonly stored: string;
  /** Whether the version names templates or workflows. */
  readonly pinsVersions: boolean;
}

type VersionKey = Pick<WorkflowVersion, 'uuid' | 'version'>;

/** The definition of a version that the object keeps; undefined where it keeps none. */
export function definitionOf(keeper: Keeper, { uuid, version }: VersionKey): Workflow | undefined {
  const name = `${uuid}:${version}`;
  const known = ready.get(name);
  if (known && isKept(keeper, { uuid, version })) return known.workflow;
  const [row] = keeper.sql
    .exec<{ bytes: ArrayBuffer }>(
      'SELECT bytes FROM definitions WHERE workflow = ? AND version = ?',
      uuid,
      version,
    )
    .toArray();
  if (!row) return undefined;
  return whole(readKept(keeper, name, row.bytes)).workflow;
}

/** Has the definition of a version ready that the object keeps: undefined where there is nothing to read, or little. */
export function unreadDefinition(
  { sql, vault }: Keeper,
  { uuid, version }: VersionKey,
): Pieces<Ready> | undefined {
  const name = `${uuid}:${version}`;
  if (ready.get(name)) return undefined;
  const [row] = sql
    .exec<{ bytes: ArrayBuffer }>(
      'SELECT bytes FROM definitions WHERE workflow = ? AND version = ? AND length(bytes) > ?',
      ...[uuid, version, LIGHT_CHARACTERS],
    )
    .toArray();
  return row && readKept({ vault }, name, row.bytes);
}

function* readKept(
  { vault }: Pick<Keeper, 'vault'>,
  name: string,
  bytes: ArrayBuffer,
): Pieces<Ready> {
  const known = ready.get(name);
  if (known) return known;
  const text = decoder.decode(vault.open(new Uint8Array(bytes), placeOf(name)));
  yield;
  // As keepDefinition wrote it.
  const source = (yield* parseDefinitionInPieces(text)) as unknown as Source;
  const made: Ready = { workflow: yield* read(source), text, pinsVersions: undefined };
  ready.set(name, made);
  return made;
}

function isKept({ sql, definitions }: Keeper, { uuid, version }: VersionKey): boolean {
  const name = `${uuid}:${version}`;
  if (definitions.has(name)) return true;
  const where = 'workflow = ? AND version = ?';
  const rows = sql.exec(`SELECT 1 FROM definitions WHERE ${where}`, uuid, version).toArray();
  if (rows.length > 0) definitions.add(name);
  return rows.length > 0;
}

/** A definition that the isolate has ready; undefined where it has not. */
export function readyDefinition({ uuid, version }: VersionKey): Workflow | undefined {
  return ready.get(`${uuid}:${version}`)?.workflow;
}

/** Whether it is known that a version names no template and no workflow. */
export function pinsNothing({ uuid, version }: VersionKey): boolean {
  return ready.get(`${uuid}:${version}`)?.pinsVersions === false;
}

/** Has the definition of a version ready from now on; a large one is read in pieces, by turns of its organization. */
export async function makeReady(
  orgUuid: string,
  version: VersionKey,
  source: LoadedSource,
): Promise<Ready> {
  const of = { caller: { orgUuid } };
  return await readInTurn(of, source.stored.length, readied(version, source));
}

/** What is larger than all that is kept ready is made each time. */
function* readied(
  { uuid, version }: VersionKey,
  { pinsVersions, stored, kinds }: LoadedSource,
): Pieces<Ready> {
  const name = `${uuid}:${version}`;
  const known = ready.get(name);
  if (known) {
    const told: Ready = { ...known, pinsVersions };
    ready.set(name, told);
    return told;
  }
  const source: Source = { definition: runnable(yield* storedInPieces(stored)), kinds };
  const workflow = yield* read(source);
  // It is JSON, of a definition that was read from some.
  const made: Ready = { workflow, text: orderedText(source as unknown as Json), pinsVersions };
  ready.set(name, made);
  return made;
}

/** Keeps the definition of a version: that which was made, or the one that the isolate has ready. Undefined where there is neither. */
export function keepDefinition(
  keeper: Keeper,
  { uuid, version }: VersionKey,
  made: Ready | undefined,
): Workflow | undefined {
  const name = `${uuid}:${version}`;
  const known = made ?? ready.get(name);
  if (!known) return undefined;
  const sealed = keeper.vault.seal(encoder.encode(known.text), placeOf(name));
  keeper.sql.exec(
    'INSERT OR IGNORE INTO definitions VALUES (?, ?, ?)',
    uuid,
    version,
    new Uint8Array(sealed).buffer,
  );
  return known.workflow;
}

/** Removes the definition of a version where no run is pinned to it. */
export function dropDefinition({ sql, definitions }: Keeper, { uuid, version }: VersionKey): void {
  definitions.delete(`${uuid}:${version}`);
  sql.exec(
    `DELETE FROM definitions WHERE workflow = ?1 AND version = ?2 AND NOT EXISTS (
      SELECT 1 FROM runs WHERE json_extract(head, '$.workflow.uuid') = ?1
        AND json_extract(head, '$.workflow.version') = ?2)`,
    uuid,
    version,
  );
}

/** @throws Error where what was stored does not read any more: a fault of ours */
function* read({ definition, kinds }: Source): Pieces<Workflow> {
  const { workflow, faults } = yield* readWorkflowInPieces(definition, {
    kindOf: (endpoint) => (Object.hasOwn(kinds, endpoint) ? kinds[endpoint] : undefined),
    isStored: true,
  });
  if (workflow) return workflow;
  throw new Error(`A stored definition does not read: ${faults[0]?.path} ${faults[0]?.message}`);
}

function placeOf(name: string): string {
  return `definition:${name}`;
}
