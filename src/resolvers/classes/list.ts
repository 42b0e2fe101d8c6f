import type { AdministrationContext } from '../../context.ts';
import { type ClassDefinition, catalogueOf } from './catalogue.ts';

export async function listClasses({ viewer }: AdministrationContext): Promise<ClassDefinition[]> {
  const { byName } = await catalogueOf(viewer.applicationId, viewer.catalogueVersion);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
