/** The form in which the rows of a reply go out. Contract §6, "Large results". */
import { kindSpec } from '../../kinds/index.ts';
import type { RowForm } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Endpoint } from '../endpoints/access.ts';
import type { StreamForm } from '../outcome.ts';

/** What a caller takes. */
interface Taken {
  readonly forms?: readonly StreamForm[];
  /** Whether one JSON text would do, too; it does when left out. */
  readonly takesJson?: boolean;
}

/** The first of the forms asked for that rows of this endpoint have; undefined where there is none. */
export function rowFormOf(
  { row }: Pick<Endpoint, 'row'>,
  forms: readonly StreamForm[],
): RowForm | undefined {
  const asked = forms.filter((form) => form !== 'events');
  const { hasColumns = false } = kindSpec(row.kind);
  return hasColumns ? asked[0] : asked.find((form) => form === 'lines');
}

/**
 * The same; undefined where no rows are asked for, or none can be had and JSON will do.
 * @throws GatewayError NOT_ACCEPTABLE where none can be had: events, which only subscriptions answer, and columns, which the kind does not have
 */
export function rowsOf(
  endpoint: Endpoint,
  { forms = [], takesJson = true }: Taken,
): RowForm | undefined {
  const had = rowFormOf(endpoint, forms);
  if (had !== undefined || takesJson || forms.length === 0) return had;
  const why = forms.every((form) => form === 'events')
    ? 'this request answers no events'
    : 'the results of this endpoint have no columns';
  const message = `Accept takes none of the forms of this reply: ${why}`;
  throw new GatewayError('NOT_ACCEPTABLE', message, { details: [{ path: 'Accept', message }] });
}
