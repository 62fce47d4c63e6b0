/** A page of tables: only those that `config.allow` opens. */
import type { InspectedTable, InspectedTables, InspectPage } from '../proto/driver.ts';

/** Reads on until the page is full, or there are no more tables. @param isOpen undefined where all are */
export async function openPage(
  page: InspectPage,
  isOpen: ((table: InspectedTable) => boolean) | undefined,
  inspect: (page: InspectPage) => Promise<InspectedTables>,
): Promise<InspectedTables> {
  if (!isOpen) return inspect(page);
  const tables: InspectedTable[] = [];
  for (let next = page; ; ) {
    const found = await inspect(next);
    tables.push(...found.tables.filter(isOpen));
    if (tables.length > page.limit) return { tables: tables.slice(0, page.limit), more: true };
    const last = found.tables.at(-1);
    if (!found.more || !last || tables.length === page.limit) return { tables, more: found.more };
    next = { ...page, after: [last.namespace, last.name] };
  }
}
