/** Places in a change stream as text. Source: MongoDB manual, "Resume a Change Stream". */
import { BSON, type Document } from 'mongodb';
import { badRequest } from '../../../proto/errors.ts';

/** The BSON of a resume token as text that a header can carry; undefined for none. */
export function resumeTokenText(token: unknown): string | undefined {
  if (typeof token !== 'object' || token === null) return undefined;
  return Buffer.from(BSON.serialize(token)).toString('base64url');
}

/** Reads it back. @throws GatewayError BAD_REQUEST */
export function resumeTokenOf(text: string, path: string): Document {
  try {
    return BSON.deserialize(Buffer.from(text, 'base64url'), { promoteValues: false });
  } catch {
    throw badRequest(path, 'is not the id of an event');
  }
}
