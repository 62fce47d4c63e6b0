/** Keys as replies show them, and their ETag. Spec: keys-and-doors.md §1. */
import type { Json } from '../../proto/json.ts';
import type { EntityKind } from '../access/explain.ts';
import { isoTime } from '../shapes/iso-time.ts';
import { visible } from '../shapes/visible.ts';
import type { shownLevels } from './levels.ts';
import type { KeyRow } from './store.ts';

/** Levels on resources of the keys of a page. */
type ShownLevels = Awaited<ReturnType<typeof shownLevels>>;

/** The record of one key. @param now Unix epoch milliseconds */
export function recordOf(
  row: KeyRow,
  levels: ShownLevels,
  now: number,
): { [member: string]: Json } {
  const on = (kind: EntityKind): Json =>
    Object.fromEntries(
      levels[kind].filter(({ key }) => key === row.uuid).map(({ id, level }) => [id, level]),
    );
  return {
    id: row.uuid,
    name: row.name,
    description: row.description,
    ...(row.owner === null ? {} : { owner: visible(row.owner) }),
    access_level: row.accessLevel,
    endpoints: on('endpoint'),
    templates: on('template'),
    workflows: on('workflow'),
    addresses: row.addresses === null ? null : [...row.addresses],
    created: isoTime(row.createdAt),
    created_by: visible(row.createdBy),
    ...(row.expiresAt === null ? {} : { expires: isoTime(row.expiresAt) }),
    ...(row.lastUsedAt === null ? {} : { last_used: isoTime(row.lastUsedAt) }),
    status: isExpired(row, now) ? 'expired' : 'active',
  };
}

/** What making and rotating answers: the one time that the key's text is told. */
export function madeOf(
  row: Pick<KeyRow, 'uuid' | 'name' | 'accessLevel' | 'createdAt' | 'expiresAt'>,
  key: string,
): { [member: string]: Json } {
  const { uuid: id, name, accessLevel, createdAt, expiresAt } = row;
  return {
    ...{ id, name, key, access_level: accessLevel, created: isoTime(createdAt) },
    ...(expiresAt === null ? {} : { expires: isoTime(expiresAt) }),
  };
}

/** A key's ETag: of its row, of the organization's rules, and whether it has expired. Its use does not change it. */
export function tagOf(row: KeyRow, now: number): string {
  return `${row.revision}.${row.rulesRevision}${isExpired(row, now) ? '.expired' : ''}`;
}

function isExpired({ expiresAt }: KeyRow, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}
