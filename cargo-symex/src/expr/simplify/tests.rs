//! Each family: where rules apply, and where they must not.
