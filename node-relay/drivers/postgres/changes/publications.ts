/** The publications of an endpoint: one of tables whose every change is told, one of those whose inserts alone are. */

import { DatabaseError } from 'pg';
import { textArray } from '../../../../kinds/postgres/dialect/array-text.ts';
import type { Connection } from '../connection.ts';
import {
  type LookedUp,
  lookUpTables,
  type OwnChangesRequest,
  type WatchedTable,
} from './tables.ts';

/** Updates of a table without a key fail while a publication has it that reports updates; so there are two. */
const KINDS = [
  { suffix: '', publish: 'insert, update, delete' },
  { suffix: '_inserts', publish: 'insert' },
] as const;

/** Names of a slot's publications. */
export function publicationsOf(slot: string): string[] {
  return KINDS.map(({ suffix }) => slot + suffix);
}

/** What was found when publications were brought up to date. */
interface Published {
  readonly looked: readonly LookedUp[];
  /** OIDs of tables that were not published before, or whose publication was not there. */
  readonly added: readonly string[];
}

interface PublicationPlan {
  readonly publication: string;
  readonly publish: string;
  readonly tables: readonly WatchedTable[];
}

const MEMBERS = `SELECT p.pubname, r.prrelid FROM pg_publication p
  LEFT JOIN pg_publication_rel r ON r.prpubid = p.oid WHERE p.pubname = ANY ($1::text[])`;

/**
 * Makes what is not there, and publishes the tables of a request.
 * @param only takes tables out that the request does not name
 * @throws DatabaseError
 */
export async function publish(
  connection: Connection,
  request: OwnChangesRequest,
  { only }: { readonly only: boolean },
): Promise<Published> {
  const looked = await lookUpTables(connection, request);
  const plans = plansOf(request.slot, looked);
  const names = textArray(publicationsOf(request.slot));
  const members = await connection.catalogRows({ text: MEMBERS, values: [names] });
  const added: string[] = [];
  for (const plan of plans) {
    const own = members.filter(([name]) => name === plan.publication);
    if (own.length === 0) await create(connection, plan);
    const has = new Set(own.flatMap(([, oid]) => (oid === null || oid === undefined ? [] : [oid])));
    const fresh = plan.tables.filter(({ oid }) => !has.has(oid));
    added.push(...fresh.map(({ oid }) => oid));
    await change(connection, plan, { has, fresh, only });
  }
  return { looked, added };
}

/** Removes a slot's publications; repeating it is no error. Answers whether there were any. */
export async function unpublish(connection: Connection, slot: string): Promise<boolean> {
  const names = publicationsOf(slot);
  const found = await connection.catalogRows({ text: MEMBERS, values: [textArray(names)] });
  for (const name of names) await connection.rows({ text: `DROP PUBLICATION IF EXISTS "${name}"` });
  return found.length > 0;
}

function plansOf(slot: string, looked: readonly LookedUp[]): PublicationPlan[] {
  const all = new Map<string, WatchedTable>();
  const inserts = new Map<string, WatchedTable>();
  for (const each of looked) {
    if (!('table' in each)) continue;
    const isInsertsOnly = each.watched.operations.every((operation) => operation === 'insert');
    (isInsertsOnly ? inserts : all).set(each.table.oid, each.table);
  }
  // One that both would tell is told once.
  for (const oid of all.keys()) inserts.delete(oid);
  return KINDS.map(({ suffix, publish: operations }) => ({
    publication: slot + suffix,
    publish: operations,
    tables: [...(suffix === '' ? all : inserts).values()],
  }));
}

async function create(
  connection: Connection,
  { publication, publish: operations }: PublicationPlan,
) {
  try {
    await connection.rows({
      text: `CREATE PUBLICATION "${publication}" WITH (publish = '${operations}', publish_via_partition_root = true)`,
    });
  } catch (error) {
    // Another call was faster.
    if (!(error instanceof DatabaseError && error.code === '42710')) throw error;
  }
}

async function change(
  connection: Connection,
  { publication, tables }: PublicationPlan,
  { has, fresh, only }: { has: ReadonlySet<string>; fresh: readonly WatchedTable[]; only: boolean },
): Promise<void> {
  const wanted = new Set(tables.map(({ oid }) => oid));
  const isSame = fresh.length === 0 && (!only || [...has].every((oid) => wanted.has(oid)));
  if (isSame) return;
  const alter = `ALTER PUBLICATION "${publication}"`;
  if (!only || tables.length > 0) {
    const list = (only ? tables : fresh).map(({ identifier }) => identifier).join(', ');
    await connection.rows({ text: `${alter} ${only ? 'SET' : 'ADD'} TABLE ${list}` });
    return;
  }
  const gone = await connection.catalogRows({
    text: "SELECT oid::regclass::text, format('%I.%I', relnamespace::regnamespace, relname) FROM pg_class WHERE oid = ANY ($1::oid[])",
    values: [`{${[...has].join(',')}}`],
  });
  const list = gone.map(([, identifier]) => identifier).join(', ');
  if (list !== '') await connection.rows({ text: `${alter} DROP TABLE ${list}` });
}
