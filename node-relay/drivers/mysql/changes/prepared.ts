/** Transactions that are prepared and have not ended: what they changed is told when they are committed. Source: MySQL manual, "XA Transactions". */
import type { Change, ChangeFault } from '../../../../proto/changes.ts';
import type { LogPlace } from './position.ts';

/** Bytes of changes that one such transaction may have. */
const CHANGES_MAX_BYTES = 64 * 1024 * 1024;

/** One of them, or one that is on its way there. */
export class Prepared {
  /** Where it begins in the log. */
  readonly from: LogPlace;
  readonly changes: Change[] = [];
  readonly faults: ChangeFault[] = [];
  bytes = 0;

  constructor(from: LogPlace) {
    this.from = from;
  }

  add(change: Change, bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= CHANGES_MAX_BYTES) {
      this.changes.push(change);
      return;
    }
    for (const { watched } of [...this.changes.splice(0), change]) {
      for (const name of watched) {
        if (this.faults.some((fault) => fault.watched === name)) continue;
        const message = `An XA transaction had changes of more than ${CHANGES_MAX_BYTES} bytes, and those of ${name} are not told`;
        this.faults.push({ watched: name, message });
      }
    }
  }
}

/** What a statement of the log does to such a transaction. */
interface XaStatement {
  readonly verb: string;
  /** As the log writes it. */
  readonly xid: string;
}

/** Reads one; undefined for any other. */
export function xaOf(text: string): XaStatement | undefined {
  const [, verb = '', xid] = /^XA (START|END|COMMIT|ROLLBACK) (\S+)/i.exec(text) ?? [];
  return xid === undefined ? undefined : { verb: verb.toUpperCase(), xid };
}
