import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { applicationsQuery, useMe } from './administrator.ts';
import { type Badge, useBadges } from './badges.ts';
import { groupsOf, type Place, servicePlaces } from './navigation.ts';
import './sidebar.css';

/** @param isNarrow shows only icons, except on phones */
export function Sidebar({ isNarrow }: { isNarrow: boolean }) {
  const me = useMe();
  const application = useChosenApplication();
  const badges = useBadges(application);
  return (
    <div className={isNarrow ? 'sidebar sidebar-narrow' : 'sidebar'}>
      <ApplicationSelect chosen={application} />
      {application !== undefined &&
        groupsOf(me, application).map(({ name, sections }) => (
          <section key={name ?? ''}>
            {name && <h2 className="sidebar-group">{name}</h2>}
            {sections.map(({ path, ...section }) => (
              <Item key={path} {...section} address={`/apps/${application}/${path}`} badge={badges[path]} />
            ))}
          </section>
        ))}
      <section className="sidebar-service">
        <h2 className="sidebar-group">
          <Trans>Service</Trans>
        </h2>
        {servicePlaces(me).map((place) => (
          <Item key={place.address} {...place} />
        ))}
      </section>
    </div>
  );
}

/** The application of the page, or the only one. */
export function useChosenApplication(): number | undefined {
  const { data: applications = [] } = useQuery(applicationsQuery);
  const { application } = useParams({ strict: false });
  return application ?? (applications.length === 1 ? applications[0]!.id : undefined);
}

function ApplicationSelect({ chosen }: { chosen: number | undefined }) {
  const navigate = useNavigate();
  const { data: applications = [] } = useQuery(applicationsQuery);
  const open = (id: string | null) =>
    id !== null && navigate({ to: '/apps/$application/overview', params: { application: Number(id) } });
  return (
    <Select
      className="sidebar-application"
      aria-label={t`Application`}
      placeholder={t`Select an application`}
      data={applications.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
      value={chosen === undefined ? null : String(chosen)}
      onChange={open}
      allowDeselect={false}
      searchable={applications.length > 8}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

function Item({ address, name, icon: Icon, badge }: Place & { badge?: Badge | undefined }) {
  const number = badge && {
    className: badge.isBad ? 'sidebar-badge sidebar-badge-bad' : 'sidebar-badge',
    title: badge.title,
    children: badge.count,
  };
  return (
    <div className="sidebar-place">
      <Link className="sidebar-item" to={address} title={name} activeOptions={{ exact: address === '/' }}>
        <Icon size={18} stroke={1.6} aria-hidden="true" />
        <span className="sidebar-name">{name}</span>
        {!badge?.search && number && <span {...number} />}
      </Link>
      {badge?.search && (
        <Link {...number} to={address} search={badge.search} aria-label={`${badge.count} ${badge.title}`} />
      )}
    </div>
  );
}
