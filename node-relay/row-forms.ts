/** The forms in which rows leave the relay as they arrive. Contract §6, "Large results". */
import type { ParsedRequest } from '../kinds/index.ts';
import { type Call, ROW_FORMS, type RowForm, type Streams } from '../proto/driver.ts';
import { badRequest } from '../proto/errors.ts';
import { notSupported } from './backend-call.ts';
import { csvOf } from './csv.ts';

/** The form of that name; without one it is lines. @throws GatewayError BAD_REQUEST */
export function rowFormOf(named: string): RowForm {
  const form = ROW_FORMS.find((each) => each === (named || 'lines'));
  if (form === undefined) throw badRequest('row_form', 'is not known');
  return form;
}

/** The rows of a request in a form. @throws GatewayError NOT_SUPPORTED where rows have no columns */
export function rowsAs(
  form: RowForm,
  client: Streams,
  request: ParsedRequest['request'],
  call: Call,
): AsyncIterable<Uint8Array> {
  if (form === 'lines') return client.stream(request, call);
  if (!client.hasColumns) throw notSupported('columns to tell of');
  const telling = { ...call, tellsColumns: true };
  if (form === 'told-lines') return client.stream(request, telling);
  return csvOf(client.stream({ ...request, row_format: 'array' }, telling), call);
}
