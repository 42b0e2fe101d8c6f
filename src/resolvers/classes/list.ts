import type { AdministrationContext } from '../../context.ts';
import { catalogueOf, type KnownClass } from './catalogue.ts';
/** All classes of the application, by name. */
export async function listClasses({ viewer }: AdministrationContext): Promise<KnownClass[]> {
  const { byName } = await catalogueOf(viewer.applicationId, viewer.catalogueVersion);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
