/** Turns events of a change stream into changes. Source: MongoDB manual, "Change Events". */
import { BSON, type Document } from 'mongodb';
import type {
  Change,
  ChangeFault,
  ChangeOperation,
  WatchedCollection,
} from '../../../../proto/changes.ts';
import { CHANGE_MAX_BYTES, changeTooLarge } from '../../change-batch.ts';
import type { Form } from '../bson-writer.ts';
import { valueText } from '../from-bson.ts';
import { markOf } from './mark.ts';

const OPERATIONS: { readonly [type: string]: ChangeOperation } = {
  insert: 'insert',
  update: 'update',
  replace: 'update',
  delete: 'delete',
};

/** What one event reports. */
interface EventReport {
  readonly change?: Change;
  readonly faults: readonly ChangeFault[];
  readonly bytes: number;
}

const NOTHING: EventReport = { faults: [], bytes: 0 };

/** What an event means to those who watch; nothing for most that are not changes of documents. */
export function toldOf(
  event: Document,
  collections: readonly WatchedCollection[],
  form: Form,
): EventReport {
  const type = String(event.operationType);
  const name = String(event.ns?.coll ?? '');
  const watching = collections.filter((each) => each.name === name);
  const operation = OPERATIONS[type];
  if (operation === undefined) return aside(type, event, watching);
  const watched = watching
    .filter(({ operations }) => operations.includes(operation))
    .map((each) => each.name);
  if (watched.length === 0) return NOTHING;
  const texts = textsOf(event, operation, form);
  const bytes = texts.key.length + (texts.before?.length ?? 0) + (texts.after?.length ?? 0);
  if (bytes > CHANGE_MAX_BYTES) return { faults: changeTooLarge(watched), bytes };
  const change: Change = {
    ...{ id: idOf(event), collection: name, watched, operation },
    ...texts,
    time: timeOf(event),
    mark: markOf(event.clusterTime),
  };
  return { change, faults: [], bytes };
}

function textsOf(
  event: Document,
  operation: ChangeOperation,
  form: Form,
): Pick<Change, 'key' | 'before' | 'keyOnly' | 'after'> {
  const text = (value: unknown) => Buffer.from(valueText(value, form));
  const key = text({ _id: event.documentKey?._id });
  const was: unknown = event.fullDocumentBeforeChange ?? undefined;
  const before = was === undefined ? { before: key, keyOnly: true } : { before: text(was) };
  const is: unknown = operation === 'delete' ? undefined : (event.fullDocument ?? undefined);
  return {
    key,
    ...(operation === 'insert' ? {} : before),
    ...(is === undefined ? {} : { after: text(is) }),
  };
}

/** What happened to the collection itself: its documents' ends are not told. */
function aside(type: string, event: Document, watching: readonly WatchedCollection[]): EventReport {
  const words =
    type === 'drop'
      ? 'was dropped'
      : type === 'rename'
        ? `is now ${String(event.to?.coll)}`
        : undefined;
  if (words === undefined) return NOTHING;
  const faults = watching.map(({ name }) => ({
    watched: name,
    message: `The collection ${name} ${words}: changes are told again once one of that name is there`,
  }));
  return { faults, bytes: 0 };
}

/** The text of the resume token: one event has one. */
function idOf({ _id: token }: Document): string {
  const data: unknown = token?._data;
  return typeof data === 'string'
    ? data
    : Buffer.from(BSON.serialize(token ?? {})).toString('base64url');
}

/** Servers before 6.0 tell the second alone. */
function timeOf({ wallTime, clusterTime }: Document): string {
  if (wallTime instanceof Date) return wallTime.toISOString();
  const seconds = clusterTime instanceof BSON.Timestamp ? clusterTime.getHighBitsUnsigned() : 0;
  return new Date(seconds * 1000).toISOString();
}

/** Puts the parts of an event together that the server has split; undefined until the last has come. */
export class Fragments {
  #parts: Document = {};

  /** Takes an event, whole or in part. */
  take(event: Document): Document | undefined {
    const split = event.splitEvent;
    if (split === undefined) return event;
    this.#parts = { ...this.#parts, ...event };
    if (Number(split.fragment) < Number(split.of)) return undefined;
    const whole = this.#parts;
    this.#parts = {};
    return whole;
  }
}
