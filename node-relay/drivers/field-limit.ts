/** How large one field of a result may be, wherever it goes. */
import { GatewayError } from '../../proto/errors.ts';

/** Bytes of a field, in streams too. Spec silent. */
export const FIELD_MAX_BYTES = 67_108_864;

/** A field of more than 64 MiB. @param name as the result would have it */
export function fieldTooLarge(name: string): GatewayError {
  return new GatewayError(
    'RESULT_TOO_LARGE',
    `The field ${name.slice(0, 128)} is larger than ${FIELD_MAX_BYTES} bytes, which no field of a result may be`,
  );
}

/** As `fieldTooLarge`, or of a row whose fields are too large only together: it may be as large as one field. */
export function fieldOrRowTooLarge(name: string | undefined): GatewayError {
  if (name !== undefined) return fieldTooLarge(name);
  const message = `A row is larger than ${FIELD_MAX_BYTES} bytes, which none of a result may be`;
  return new GatewayError('RESULT_TOO_LARGE', message);
}
