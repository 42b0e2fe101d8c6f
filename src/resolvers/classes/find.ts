import type { AdministrationContext } from '../../context.ts';
import { classNamed, type KnownClass } from './catalogue.ts';
/** @throws {ForbiddenError} `Undefined class` */
export function findClass(name: string, { viewer }: AdministrationContext): Promise<KnownClass> {
  return classNamed(name, viewer);
}
