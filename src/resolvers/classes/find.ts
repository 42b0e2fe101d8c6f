import type { AdministrationContext } from '../../context.ts';
import { type ClassDefinition, classNamed } from './catalogue.ts';

/** @throws {ForbiddenError} `Undefined class` */
export function findClass(name: string, { viewer }: AdministrationContext): Promise<ClassDefinition> {
  return classNamed(name, viewer);
}
