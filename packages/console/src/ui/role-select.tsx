import { t } from '@lingui/core/macro';
import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useRoles } from '../app/roles.ts';

interface RoleSelectProps extends Omit<MultiSelectProps, 'data'> {
  application: number;
  value: string[];
}

/** Several roles of users. Shows also chosen roles that were deleted. */
export function RoleSelect({ application, value, ...props }: RoleSelectProps) {
  const { data: roles = [] } = useRoles(application);
  return (
    <MultiSelect
      placeholder={value.length === 0 ? t`Choose roles` : undefined}
      {...props}
      data={[...new Set([...roles.map(({ name }) => name), ...value])].sort()}
      value={value}
      searchable
      clearable
      nothingFoundMessage={t`No role found. Roles are defined under Users → Roles.`}
    />
  );
}
