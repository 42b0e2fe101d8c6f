export const RESET_PAGE = '/reset-password';
