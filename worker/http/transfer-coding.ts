/** Which transfer codings of a request are taken. */
import { GatewayError } from '../../proto/errors.ts';

/**
 * Refuses any but pieces alone.
 * @param coding the header `Transfer-Encoding`
 * @throws GatewayError NOT_SUPPORTED Source: RFC 9112 §6.1
 */
export function checkTransferCoding(coding: string | null | undefined): void {
  if (typeof coding !== 'string' || coding.toLowerCase() === 'chunked') return;
  throw new GatewayError('NOT_SUPPORTED', 'Transfer-Encoding is taken as chunked alone');
}
