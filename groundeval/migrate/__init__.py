"""From other tools' files to ours."""
