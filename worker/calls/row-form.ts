/** The form in which rows come as they arrive, of those that a caller takes. Contract §6, "Large results". */
import { kindSpec } from '../../kinds/index.ts';
import type { RowForm } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Endpoint } from '../endpoints/access.ts';
import type { StreamForm } from '../outcome.ts';

/**
 * The first of these forms that the kind has; undefined where no rows are asked for.
 * @throws GatewayError NOT_ACCEPTABLE where all of them need columns, which the kind does not have
 */
export function rowsOf({ row }: Endpoint, forms: readonly StreamForm[]): RowForm | undefined {
  const asked = forms.filter((form) => form !== 'events');
  if (asked.length === 0) return undefined;
  const { hasColumns = false } = kindSpec(row.kind);
  const had = hasColumns ? asked[0] : asked.find((form) => form === 'lines');
  if (had !== undefined) return had;
  const message =
    'Accept takes none of the forms of this reply: the results of this endpoint have no columns';
  throw new GatewayError('NOT_ACCEPTABLE', message, { details: [{ path: 'Accept', message }] });
}
