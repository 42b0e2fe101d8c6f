import { t } from '@lingui/core/macro';
import { Link, useLocation } from '@tanstack/react-router';
import { parentOf } from '../app/navigation.ts';
import { recentPlaces } from '../app/recent.ts';

/** Leads from a page to the list that it belongs to, with the filters that the list had. */
export function Breadcrumb() {
  const { pathname } = useLocation();
  const parent = parentOf(pathname);
  if (!parent) return null;
  const { name, address } = parent;
  const before = recentPlaces.list().find((place) => place.address.split('?')[0] === address);
  return (
    <nav className="breadcrumb" aria-label={t`Breadcrumb`}>
      <Link to={before?.address ?? address}>
        <span aria-hidden="true">‹ </span>
        {name}
      </Link>
    </nav>
  );
}
