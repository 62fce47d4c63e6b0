/** Values of the engine as they are kept, and as they are compared. */
import { isJsonObject, type Json } from '../../../proto/json.ts';

/** As it is read again after it was written. */
export function readAnew<Kept>(kept: Kept): Kept {
  return JSON.parse(JSON.stringify(kept)) as Kept;
}

/** Without messages of errors, which the specification leaves open. */
export function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, each]) =>
    each === undefined || (name === 'message' && 'code' in value)
      ? []
      : [[name, name === 'run_id' ? 'a child' : plain(each)] as const],
  );
  return Object.fromEntries(members);
}

/** In which pieces a run is done. */
export interface Ways {
  /** Nodes that a transition begins at most where others can wait. */
  readonly beginsMax?: number;
  /** Before each transition the run is read anew from what is kept of it, as after a kill. */
  readonly isReadAnew?: boolean;
}
