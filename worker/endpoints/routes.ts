/** Operations of this slice. */
import type { AnyRoute } from '../http/route.ts';

export const endpointRoutes: AnyRoute[] = [];
