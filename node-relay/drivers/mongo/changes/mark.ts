/** Texts that rise with the times of a deployment's log. Source: MongoDB manual, "Timestamps". */
import { BSON } from 'mongodb';

/** The text of a time of the log; empty where the server has told none. */
export function markOf(time: unknown): string {
  if (!(time instanceof BSON.Timestamp)) return '';
  const parts = [time.getHighBitsUnsigned(), time.getLowBitsUnsigned()];
  return parts.map((part) => String(part).padStart(10, '0')).join('.');
}
